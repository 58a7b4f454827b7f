/**
 * completion: what is suggested for a line, and the scripts in the shells that are here. Bash must be.
 */
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SHELLS, scriptFor } from '../../../src/hosts/cli/completion-scripts.ts'
import { openMachine, runChild, type Machine } from '../../processes/plugboard.ts'
import { runInTerminal } from '../../processes/terminal.ts'

const server = (program: string): object => ({
  command: process.execPath,
  args: [fileURLToPath(new URL(`../../servers/${program}.mjs`, import.meta.url))],
})

const installed = (program: string): boolean =>
  (process.env['PATH'] ?? '').split(delimiter).some((dir) => existsSync(join(dir, program)))

let machine: Machine
beforeAll(async () => {
  machine = openMachine({
    '~/.config/plugboard/mcp.json': {
      mcpServers: {
        good: server('well-behaved'),
        outcomes: server('outcomes'),
        never: { command: 'no-such-program' },
        '$(touch pwned)': server('well-behaved'),
        '-x': server('well-behaved'),
      },
    },
    './notes.txt': '',
    './pwn;ed/x': '',
  })
  await machine.run(['tools', 'good'])
  await machine.run(['tools', 'outcomes'])
})
afterAll(() => machine[Symbol.dispose]())

const ask = async (...words: readonly string[]): Promise<readonly string[]> => {
  const { code, stdout, stderr } = await machine.run(['__complete', String(words.length), ...words])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return stdout.split('\n').filter((line) => line !== '')
}
const suggest = async (...words: readonly string[]): Promise<readonly string[]> =>
  (await ask(...words)).map((line) => line.split('\t')[0]!)

describe('what is suggested', () => {
  test.each<[readonly string[], readonly string[]]>([
    [['li'], ['list']],
    [
      ['trust', ''],
      ['show', 'list', 'approve', 'folder', 'decline', 'reset'],
    ],
    [['trust', 'approve', '--a'], ['--all']],
    [['list', '--js'], ['--json']],
    [['lst', ''], []],
    [['get', 'go'], ['good']],
    [['get', 'good', ''], []],
    [['trust', 'approve', 'good', 'o'], ['outcomes']],
    [
      ['call', 'good', ''],
      ['echo', 'slow'],
    ],
    [['call', 'good', 'echo', ''], ['text=']],
    [['call', 'good', 'echo', 'text=a', ''], []],
    [['call', 'never', ''], []],
    [['call', 'nobody', ''], []],
    [
      ['permissions', 'allow', 'mcp__good'],
      ['mcp__good', 'mcp__good__echo', 'mcp__good__slow'],
    ],
    [
      ['add', '--scope', ''],
      ['user', 'local', 'project'],
    ],
    [['add', '--scope=l'], ['--scope=local']],
    [
      ['add', '-t', 's'],
      ['stdio', 'sse'],
    ],
    [['add', 'x', '--', 'npx', ''], [':files']],
    [['add', 'x', 'npx', '--scope', ''], [':files']],
    [['add', '--cwd', ''], [':files']],
    [['--mcp-config', ''], [':files']],
    [
      ['completion', ''],
      ['bash', 'zsh', 'fish', 'powershell'],
    ],
    [
      ['import', 'c'],
      ['claude-code', 'codex', 'copilot', 'cursor', 'cline', 'crush', 'claude-desktop'],
    ],
    [['export', 'pl'], []],
    [['--no-mcp', 'get', ''], []],
    [['--strict-mcp-config', '--mcp-config', '{"mcpServers":{"here":{"command":"x"}}}', 'get', ''], ['here']],
    [
      ['--mcp-config', '/no/such/file', 'get', ''],
      ['good', 'never', 'outcomes'],
    ],
  ])('%j', async (words, expected) => {
    expect(await suggest(...words)).toEqual(expected)
  })

  test('comes with a word about it', async () => {
    expect(await ask('call', 'good', 'e')).toEqual(['echo\tReturns the text unchanged.'])
  })

  test('values of an argument, where its schema says them', async () => {
    expect(await suggest('call', 'outcomes', 'strict', '')).toContain('state=')
    expect(await suggest('call', 'outcomes', 'strict', 'state=')).toEqual(['state=open', 'state=closed'])
  })

  test('is never a name that a shell would read as something else', async () => {
    expect(await suggest('get', '')).toEqual(['good', 'never', 'outcomes'])
  })

  test('an empty word that was lost on the way is put back, and what stands before is left out', async () => {
    const lost = await machine.run(['__complete', '2', 'get'])
    const more = await machine.run(['__complete', '2', 'plugboard', 'get', ''])
    expect(lost.stdout).toBe(more.stdout)
    expect(lost.stdout).toContain('good\t')
  })

  test('starts nothing', async () => {
    const log = await machine.run(['logs', 'never'])
    expect(log.stderr).toContain('has written nothing yet')
  })
})

describe('the scripts', () => {
  test.each(SHELLS)('for %s', async (shell) => {
    const ending = { bash: 'bash', zsh: 'zsh', fish: 'fish', powershell: 'ps1' }[shell]
    await expect(scriptFor(shell)).toMatchFileSnapshot(`completion/plugboard.${ending}`)
    expect((await machine.run(['completion', shell])).stdout).toBe(scriptFor(shell))
  })

  test('for a shell that nobody knows', async () => {
    const { code, stderr } = await machine.run(['completion', 'fisch'])
    expect(code).toBe(2)
    expect(stderr).toContain('error: there is no completion for `fisch`\n')
    expect(stderr).toContain('did you mean `fish`?')
  })

  /** Those that only read the script say what they think of it. */
  const READERS = { bash: ['-n'], zsh: ['-n'], fish: ['--no-execute'] } as const
  test.each(Object.entries(READERS).filter(([shell]) => installed(shell)))(
    '%s understands its own',
    (shell, flags) => {
      machine.write({ '~/script': scriptFor(shell as keyof typeof READERS) })
      expect(execFileSync(shell, [...flags, machine.at('~/script')], { encoding: 'utf8' })).toBe('')
    },
  )
})

describe('in bash', () => {
  /** As bash itself would part the line: at blanks, and around `=` and `:`. */
  async function complete(line: string): Promise<readonly string[]> {
    const words = line.split(/(?<=\s)|(?=\s)/).filter((word) => word.trim() !== '')
    const parted = words.flatMap((word) => word.split(/([=:]+)/).filter((part) => part !== ''))
    if (/[\s=:]$/.test(line)) parted.push('')
    const script = [
      scriptFor('bash'),
      `COMP_LINE=${quote(line)} COMP_POINT=${line.length} COMP_CWORD=${parted.length - 1}`,
      `COMP_WORDS=(${parted.map(quote).join(' ')})`,
      '_plugboard',
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ].join('\n')
    const env = { PATH: `${machine.bin}:${process.env['PATH']}`, HOME: machine.home }
    const { code, stdout, stderr } = await runChild(['bash', '--norc', '-c', script], {
      cwd: machine.project,
      env,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.split('\n').filter((one) => one !== '')
  }
  const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`

  test.each<[string, readonly string[]]>([
    ['plugboard li', ['list']],
    ['plugboard   call go', ['good']],
    ['plugboard call good ', ['echo', 'slow']],
    ['plugboard call good echo ', ['text=']],
    ['plugboard call good echo te', ['text=']],
    ['plugboard call outcomes strict state=', ['open', 'closed']],
    ['plugboard call outcomes strict state=c', ['closed']],
    ['plugboard call outcomes strict count=1 state=c', ['closed']],
    ['plugboard add --scope=', ['user', 'local', 'project']],
    ['plugboard add --scope l', ['local']],
    ['plugboard add x -- cat no', ['notes.txt']],
    ['plugboard nosuch ', []],
  ])('%s', async (line, expected) => {
    expect(await complete(line)).toEqual(expected)
  })

  test('the tabulator key completes a line that is typed', async () => {
    const { text } = await runInTerminal(machine, "PS1='ready> ' bash --norc --noprofile -i", {
      columns: 120,
      env: { INPUTRC: '/dev/null' },
      answers: [
        { when: 'ready> ', keys: 'eval "$(plugboard completion bash)"\r' },
        { when: 'ready> ', keys: 'plugboard cal\tgo\tec\tte\thello\r' },
        { when: 'ready> ', keys: 'exit\r' },
      ],
    })
    expect(text).toContain('plugboard call good echo text=hello')
    expect(text).toMatch(/\nhello\n/)
  })
})

describe.runIf(installed('fish'))('in fish', () => {
  /** As fish itself would suggest it, without what there is to say about each. */
  async function complete(line: string): Promise<readonly string[]> {
    const script = `${scriptFor('fish')}\ncomplete -C ${quote(line)}\n`
    const env = { PATH: `${machine.bin}:${process.env['PATH']}`, HOME: machine.home }
    const { code, stdout, stderr } = await runChild(['fish', '--no-config', '-c', script], {
      cwd: machine.project,
      env,
    })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    return stdout.split('\n').flatMap((one) => (one === '' ? [] : [one.split('\t')[0]!]))
  }
  const quote = (word: string): string =>
    `'${word.replaceAll('\\', String.raw`\\`).replaceAll("'", String.raw`\'`)}'`

  test.each<[string, readonly string[]]>([
    ['plugboard li', ['list']],
    ['plugboard   call go', ['good']],
    ['plugboard call good ', ['echo', 'slow']],
    ['plugboard call good echo ', ['text=']],
    ['plugboard call outcomes strict state=', ['state=closed', 'state=open']],
    ['plugboard call outcomes strict count=1 state=c', ['state=closed']],
    ['plugboard add --scope=', ['--scope=local', '--scope=project', '--scope=user']],
    ['plugboard add --scope l', ['local']],
    ['plugboard add x -- cat no', ['notes.txt']],
    ["plugboard get 'a b' go", []],
    ['plugboard nosuch ', []],
  ])('%s', async (line, expected) => {
    expect([...(await complete(line))].sort()).toEqual(expected)
  })
})

describe.runIf(installed('zsh'))('in zsh', () => {
  /** Only its line editor completes, so lines are typed into one. */
  const SET_UP = [
    'autoload -Uz compinit && compinit -D -u',
    'source <(plugboard completion zsh)',
    `show() { print -r -- "[$BUFFER]"; BUFFER=; zle accept-line }`,
    'zle -N show',
    "bindkey '^X' show",
  ].join('; ')

  test('the tabulator key completes lines that are typed', { timeout: 60_000 }, async () => {
    const lines: readonly (readonly [typed: string, becomes: string])[] = [
      ['plugboard li', 'plugboard list '],
      ['plugboard   call go', 'plugboard   call good '],
      ['plugboard call good echo ', 'plugboard call good echo text='],
      [
        'plugboard call outcomes strict count=1 state=c',
        'plugboard call outcomes strict count=1 state=closed ',
      ],
      ['plugboard add --scope=l', 'plugboard add --scope=local '],
      ['plugboard add --scope l', 'plugboard add --scope local '],
      ['plugboard add x -- cat no', 'plugboard add x -- cat notes.txt '],
      ['plugboard get "go', 'plugboard get "good" '],
      ['plugboard nosuch ', 'plugboard nosuch '],
    ]
    const { text } = await runInTerminal(machine, "PS1='ready> ' zsh -f -i", {
      columns: 120,
      answers: [
        { when: 'ready> ', keys: `${SET_UP}\r` },
        ...lines.map(([typed]) => ({ when: 'ready> ', keys: `${typed}\t\u0018` })),
        { when: 'ready> ', keys: 'plugboard call good \t\u0015exit\r' },
      ],
    })
    const became = [...text.matchAll(/\[(plugboard .*?)\]/g)].map(([, line]) => line)
    expect(became).toEqual(lines.map(([, line]) => line))
    expect(text).toContain('echo  -- Returns the text unchanged.')
  })
})
