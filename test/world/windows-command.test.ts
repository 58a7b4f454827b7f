import { describe, expect, it } from 'vitest'
import { toSpawnable, type Spawnable, type Surroundings } from '../../src/world/node/windows-command.ts'

const FILES = [
  'C:\\bin\\node.exe',
  'C:\\bin\\npx',
  'C:\\bin\\npx.cmd',
  'C:\\bin\\tool.bat',
  'C:\\bin\\tool.exe',
  'C:\\bin\\script.js',
  'C:\\Program Files\\Tool\\TOOL.EXE',
  'C:\\Program Files (x86)\\tool.cmd',
  'C:\\bare\\server',
  'npx.exe',
]

const SHELL = 'C:\\Windows\\System32\\cmd.exe'

/** A machine on which these files are, and the folders of programs are on the PATH. */
function windows(env: Readonly<Record<string, string>> = {}): Surroundings {
  return {
    platform: 'win32',
    env: { Path: '.;C:\\empty;"C:\\bin\\"', ...env },
    isFile: (path) => FILES.some((file) => file.toLowerCase() === path.toLowerCase()),
  }
}

/** What follows `/c`, as `cmd.exe` sees it. */
function lineOf(command: string, ...args: readonly string[]): string {
  const spawnable = toSpawnable(command, args, windows())
  if (spawnable.kind === 'refused') throw new Error(spawnable.message)
  return spawnable.args.at(-1)!
}

/**
 * A line after `cmd.exe` has read it: each `^` gone and what follows it literal. A quote that is not escaped would begin a
 * part where `^` means nothing, and a bare metacharacter would be acted on: both fail here.
 */
function readByCmd(line: string): string {
  let read = ''
  for (let at = 0; at < line.length; at++) {
    if (line[at] === '^') at++
    else if (/[()%!"<>&|]/.test(line[at]!)) throw new Error(`cmd.exe acts on ${line[at]} in ${line}`)
    read += line[at] ?? ''
  }
  return read
}

/** The arguments as the C runtime of a program takes them apart. */
function readByProgram(text: string): readonly string[] {
  const args: string[] = []
  let [arg, isQuoted, isOpen] = ['', false, false]
  for (const [part] of text.matchAll(/\\+"?|"|\s|[^\\"\s]+/g)) {
    const slashes = /^\\*/.exec(part)![0].length
    const isQuote = part.endsWith('"')
    if (/\s/.test(part) && !isQuoted) {
      if (isOpen) args.push(arg)
      ;[arg, isOpen] = ['', false]
      continue
    }
    isOpen = true
    if (!isQuote) arg += part
    else {
      // Before a quote two backslashes are one, and an odd one makes the quote a character.
      arg += '\\'.repeat(slashes >> 1)
      if (slashes % 2 === 1) arg += '"'
      else isQuoted = !isQuoted
    }
  }
  return isOpen ? [...args, arg] : args
}

/** What a program gets for which a batch file stands: `cmd.exe /s /c` reads the line, then the file's own line its `%*`. */
function readThroughBatch(line: string): readonly string[] {
  const inner = /^"(.*)"$/s.exec(line)![1]!
  const [, rest = ''] = /^C:\\bin\\npx\.cmd(?: (.*))?$/s.exec(readByCmd(inner))!
  return readByProgram(readByCmd(rest))
}

const asItIs = (command: string, args: readonly string[]): Spawnable => ({
  kind: 'spawn',
  command,
  args,
  isVerbatim: false,
})

describe('a command on Windows', () => {
  const ARGS = ['a b', '%PATH%', '"quoted"', 'two\nlines']

  it.each([
    ['node', 'C:\\bin\\node.EXE'],
    ['NODE.EXE', 'C:\\bin\\NODE.EXE'],
    ['C:\\Program Files\\Tool\\tool', 'C:\\Program Files\\Tool\\tool.EXE'],
    ['C:\\bare\\server', 'C:\\bare\\server'],
  ])('that is a program is started as it is: %s', (command, file) => {
    expect(toSpawnable(command, ARGS, windows())).toEqual(asItIs(file, ARGS))
  })

  it('is looked for with the endings of PATHEXT, in their order', () => {
    expect(toSpawnable('tool', [], windows())).toEqual(asItIs('C:\\bin\\tool.EXE', []))
    expect(toSpawnable('tool', [], windows({ PathExt: '.BAT;.EXE' }))).toMatchObject({ command: SHELL })
  })

  it.each(['no-such-program', 'npx.exe', 'C:\\nowhere\\node.exe'])(
    'that is not there is not looked for in the working directory: %s',
    (command) => {
      expect(toSpawnable(command, [], windows())).toEqual({
        kind: 'refused',
        code: 'ENOENT',
        message: `spawn ${command} ENOENT`,
      })
    },
  )

  it('that is a script goes through cmd.exe, which is named in full', () => {
    expect(toSpawnable('npx', ['-y', '@acme/files'], windows())).toEqual({
      kind: 'spawn',
      command: SHELL,
      args: ['/d', '/v:off', '/s', '/c', '"C:\\bin\\npx.CMD ^^^"-y^^^" ^^^"@acme/files^^^""'],
      isVerbatim: true,
    })
    const moved = windows({ SYSTEMROOT: 'D:\\Win' })
    expect(toSpawnable('npx', [], moved)).toMatchObject({ command: 'D:\\Win\\System32\\cmd.exe' })
  })

  it.each(['ComSpec', 'COMSPEC'])('uses the shell that %s names', (name) => {
    expect(toSpawnable('npx', [], windows({ [name]: 'D:\\cmd.exe' }))).toMatchObject({
      command: 'D:\\cmd.exe',
    })
  })

  it('is started as it is elsewhere', () => {
    for (const platform of ['linux', 'darwin'] as const)
      expect(toSpawnable('npx', ['a & b'], { ...windows(), platform })).toEqual(asItIs('npx', ['a & b']))
  })
})

describe('an argument of a batch file', () => {
  // Read twice: once as the line of `cmd.exe`, once as the `%*` of the file.
  it.each([
    ['plain', 'plain', '^^^"plain^^^"'],
    ['nothing', '', '^^^"^^^"'],
    ['a quote', 'say "hi"', '^^^"say^^^ \\^^^"hi\\^^^"^^^"'],
    ['an ampersand', 'a&b', '^^^"a^^^&b^^^"'],
    ['both, to break out', '" & calc.exe & "', '^^^"\\^^^"^^^ ^^^&^^^ calc.exe^^^ ^^^&^^^ \\^^^"^^^"'],
    ['a variable', '%PATH%', '^^^"^^^%PATH^^^%^^^"'],
    ['a delayed variable', '!PATH!', '^^^"^^^!PATH^^^!^^^"'],
    ['a caret', '^', '^^^"^^^^^^^"'],
    ['blanks', 'two words', '^^^"two^^^ words^^^"'],
    ['a backslash at its end', 'C:\\dir\\', '^^^"C:\\dir\\\\^^^"'],
    ['backslashes before a quote', 'a\\\\"b', '^^^"a\\\\\\\\\\^^^"b^^^"'],
    ['redirections', '<a>|b', '^^^"^^^<a^^^>^^^|b^^^"'],
  ])('with %s: %j', (_, arg, escaped) => {
    expect(lineOf('npx.cmd', arg)).toBe(`"C:\\bin\\npx.cmd ${escaped}"`)
  })

  it.each([
    [['plain', 'two words', '']],
    [['a & calc.exe', 'a | b', 'a > b < c', '(x)']],
    [['%PATH%', '100%', '!PATH!', '^', '^^']],
    [['say "hi"', '"', '""', '" & calc.exe & "', '"&calc&"', '\\" & calc & \\"']],
    [['C:\\dir\\', 'a\\b', 'a\\\\"b', '\\"', 'trailing \\\\']],
    [['{"json":"with \\"quotes\\" & more"}']],
  ])('reaches the program exactly as it was given: %j', (args) => {
    expect(readThroughBatch(lineOf('npx.cmd', ...args))).toEqual(args)
  })

  it('is escaped once for what is no batch file, since nothing reads it twice', () => {
    expect(lineOf('C:\\bin\\script.js', 'a&b')).toBe('"C:\\bin\\script.js ^"a^&b^""')
  })

  it('does not change the command itself, which is read once', () => {
    const line = lineOf('C:\\Program Files (x86)\\tool.cmd', 'x')
    expect(line).toBe('"C:\\Program^ Files^ ^(x86^)\\tool.cmd ^^^"x^^^""')
  })

  it.each([['one\ntwo'], ['one\rtwo'], ['\r\n']])('with a line break is refused: %j', (arg) => {
    expect(toSpawnable('npx', ['fine', arg], windows())).toEqual({
      kind: 'refused',
      code: 'EINVAL',
      message: 'an argument holds a line break, which cannot be given to a script on Windows',
    })
  })

  it('that makes the line longer than cmd.exe takes is refused', () => {
    expect(toSpawnable('npx', ['x'.repeat(8000)], windows())).toMatchObject({ kind: 'spawn' })
    expect(toSpawnable('npx', ['x'.repeat(8191)], windows())).toEqual({
      kind: 'refused',
      code: 'E2BIG',
      message:
        'with its arguments it is longer than the 8191 characters that a script can be started with on Windows',
    })
  })

  it('of a great many backslashes takes no time', () => {
    const startedAt = performance.now()
    lineOf('npx.cmd', `${'\\'.repeat(7000)}x`)
    expect(performance.now() - startedAt).toBeLessThan(100)
  })
})
