/**
 * show-problem: the worked examples of the style guide, word for word, and everything that may shift a caret.
 */
import { posix } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createDocument } from '../../../src/model/document.ts'
import { createProblem, createWarning, whereOf } from '../../../src/problem/problem.ts'
import { COLORS, NO_COLORS } from '../../../src/hosts/shared/paint.ts'
import { showProblem, showProblems, type View } from '../../../src/hosts/shared/show-problem.ts'

const VIEW: View = {
  here: { paths: posix, home: '/home/ada', cwd: '/home/ada/code/shop' },
  paint: NO_COLORS,
}

describe('the worked examples', () => {
  test('a name that nobody has', () => {
    const problem = createProblem({
      code: 'cli/unknown-server',
      message: 'no server is named `githib`',
      notes: ['looked at 23 servers in 7 files'],
      hints: [
        'did you mean `github`? (Claude Code, user scope, ~/.claude.json:14)',
        'to see every server and the file it came from, run `plugboard list --all`',
      ],
    })
    expect(showProblem(problem, VIEW)).toBe(`error: no server is named \`githib\`
  looked at 23 servers in 7 files

hint: did you mean \`github\`? (Claude Code, user scope, ~/.claude.json:14)
hint: to see every server and the file it came from, run \`plugboard list --all\``)
  })

  test('a field of the wrong type', () => {
    const text = '\n'.repeat(6) + '      "command": ["npx", "-y", "@acme/files"],\n'
    const start = text.indexOf('[')
    const document = createDocument('/home/ada/.cursor/mcp.json', text, {
      kind: 'object',
      start: 0,
      end: 0,
      members: [],
    })
    const problem = createProblem({
      code: 'normalize/wrong-type',
      message: '`command` must be a string, but is a list',
      where: whereOf(
        document,
        { start, end: text.indexOf(']') + 1 },
        { source: 'cursor', scope: 'user', server: 'files' },
      ),
      notes: ['the other 4 servers in this file were loaded'],
      hints: ['keep `"npx"` in `command` and move the rest to `"args": ["-y", "@acme/files"]`'],
    })
    expect(showProblem(problem, VIEW)).toBe(`error: \`command\` must be a string, but is a list
  --> ~/.cursor/mcp.json:7:18   (Cursor, user scope, server \`files\`)
  |
7 |       "command": ["npx", "-y", "@acme/files"],
  |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  the other 4 servers in this file were loaded

hint: keep \`"npx"\` in \`command\` and move the rest to \`"args": ["-y", "@acme/files"]\``)
  })

  test('a server that wants a sign-in', () => {
    const problem = createProblem({
      code: 'authorize/needed',
      message: '`linear` needs you to sign in',
      notes: [
        'https://mcp.linear.app asked for scopes: read, write',
        'the saved sign-in expired on 2026-11-12 and could not be renewed',
      ],
      hints: [
        'run `plugboard login linear`',
        'on a machine with no browser, run `plugboard login linear --no-browser` and follow the link it prints',
      ],
    })
    expect(showProblem(problem, VIEW)).toBe(`error: \`linear\` needs you to sign in
  https://mcp.linear.app asked for scopes: read, write
  the saved sign-in expired on 2026-11-12 and could not be renewed

hint: run \`plugboard login linear\`
hint: on a machine with no browser, run \`plugboard login linear --no-browser\` and follow the link it prints`)
  })

  test('a call that policy forbids', () => {
    const problem = createProblem({
      code: 'permit/denied',
      message: 'policy does not allow `github.delete_repo`',
      notes: [
        'denied by rule `no-deletes` (organisation, /etc/plugboard/settings.toml:12)',
        'reason given: "Deletions go through the platform team."',
      ],
      hints: [
        'to see every rule that was considered, run `plugboard permissions explain mcp__github__delete_repo`',
      ],
    })
    expect(showProblem(problem, VIEW)).toBe(`error: policy does not allow \`github.delete_repo\`
  denied by rule \`no-deletes\` (organisation, /etc/plugboard/settings.toml:12)
  reason given: "Deletions go through the platform team."

hint: to see every rule that was considered, run \`plugboard permissions explain mcp__github__delete_repo\``)
  })

  test('a server that stopped: it is in the message, so the place does not name it again', () => {
    const problem = createProblem({
      code: 'connect/stopped',
      message: '`files` stopped before it answered',
      where: {
        file: '/home/ada/.cursor/mcp.json',
        line: 7,
        source: 'cursor',
        scope: 'user',
        server: 'files',
      },
      notes: [
        'ran `npx -y @acme/files` in /home/ada/code/shop; it exited with code 1 after 2.3 s; the last lines it wrote:',
        '  npm error 404 Not Found: @acme/files',
      ],
      hints: ['to try it by hand in the same environment, run `plugboard test files`'],
    })
    expect(showProblem(problem, VIEW)).toBe(`error: \`files\` stopped before it answered
  --> ~/.cursor/mcp.json:7   (Cursor, user scope)
  ran \`npx -y @acme/files\` in ~/code/shop; it exited with code 1 after 2.3 s; the last lines it wrote:
    npm error 404 Not Found: @acme/files

hint: to try it by hand in the same environment, run \`plugboard test files\``)
  })

  test('a variable that is not set, in a root file, which needs no title', () => {
    const problem = createProblem({
      code: 'resolve/unset-variable',
      message: '`SENTRY_TOKEN` is not set, and server `sentry` needs it',
      where: {
        file: '/home/ada/code/shop/.mcp.json',
        line: 9,
        column: 20,
        source: 'mcp-json',
        scope: 'project',
        server: 'sentry',
      },
      notes: ['looked in: the environment'],
      hints: ['set it in your shell, or give a default in the file: `${SENTRY_TOKEN:-…}`'],
    })
    expect(showProblem(problem, VIEW)).toBe(
      `error: \`SENTRY_TOKEN\` is not set, and server \`sentry\` needs it
  --> ./.mcp.json:9:20   (project scope)
  looked in: the environment

hint: set it in your shell, or give a default in the file: \`\${SENTRY_TOKEN:-…}\``,
    )
  })
})

describe('the carets', () => {
  const show = (text: string, column: number, length: number, columns?: number): string[] => {
    const where = { file: '/x.json', line: 12, excerpt: { text, column, length } }
    const problem = createWarning({ code: 'x/y', message: 'm', where })
    return showProblem(problem, { ...VIEW, columns })
      .split('\n')
      .slice(2)
  }

  test('stand below the right characters after tabs', () => {
    expect(show('\t\t"a": 1', 8, 1)).toEqual(['   |', '12 |         "a": 1', '   |              ^'])
  })

  test('stand below the right characters after and under wide ones', () => {
    expect(show('"日本": "語"', 7, 3)).toEqual(['   |', '12 | "日本": "語"', '   |         ^^^^'])
  })

  test('count what an escaped character takes', () => {
    expect(show('"\u001b[2J": "\u202e"', 9, 3)).toEqual([
      '   |',
      String.raw`12 | "\x1b[2J": "\u{202e}"`,
      '   |            ^^^^^^^^^^',
    ])
  })

  test('stay on the line that a narrow terminal would wrap', () => {
    const lines = show(`${'a'.repeat(50)}BAD${'c'.repeat(50)}`, 51, 3, 40)
    expect(lines).toEqual(['   |', '12 | …aaaaaaaaaaBADcccccccccccccccccccc…', '   |            ^^^'])
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(40)
  })

  test('are left out where there is nothing to see', () => {
    expect(show('   ', 1, 1)).toEqual([])
  })
})

describe('what comes from files', () => {
  test('cannot move the cursor or pose as another line', () => {
    const problem = createWarning({
      code: 'x/y',
      message: 'name `\u001b[31m`',
      where: { file: '/tmp/a\nb.json', server: 'x\u0007' },
      notes: ['one\ntwo'],
      hints: ['run `\u009b1m`'],
    })
    expect(showProblem(problem, VIEW)).toBe(
      String.raw`warning: name ${'`'}\x1b[31m${'`'}
  --> /tmp/a\x0ab.json   (server ${'`'}x\x07${'`'})
  one\x0atwo

hint: run ${'`'}\x9b1m${'`'}`,
    )
  })

  test('a hint is pasted, so its paths stay whole', () => {
    const problem = createProblem({
      code: 'x/y',
      message: 'see /home/ada/x, /home/adam and /mnt/home/ada',
      hints: ['`"command": "/home/ada/x"`'],
    })
    expect(showProblem(problem, VIEW)).toBe(`error: see ~/x, /home/adam and /mnt/home/ada

hint: \`"command": "/home/ada/x"\``)
  })
})

test('several problems stand apart, each with its severity', () => {
  const problems = (['error', 'warning', 'info'] as const).map((severity) =>
    createProblem({ code: 'x/y', message: 'm', severity }),
  )
  expect(showProblems(problems, VIEW)).toBe('error: m\n\nwarning: m\n\ninfo: m')
})

test('colour changes nothing but the colour', () => {
  const where = { file: '/x.json', line: 1, excerpt: { text: 'abc', column: 2, length: 1 } }
  const problem = createProblem({ code: 'x/y', message: 'm', where, hints: ['h'] })
  const colored = showProblem(problem, { ...VIEW, paint: COLORS })
  // eslint-disable-next-line no-control-regex
  expect(colored.replace(/\x1b\[\d+m/g, '')).toBe(showProblem(problem, VIEW))
  expect(colored.startsWith('\x1b[1m\x1b[31merror:\x1b[39m\x1b[22m')).toBe(true)
})
