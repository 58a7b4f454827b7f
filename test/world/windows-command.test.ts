import { describe, expect, it } from 'vitest'
import { toSpawnable } from '../../src/world/node/windows-command.ts'

const WINDOWS = { platform: 'win32', env: {} } as const

/** What follows `/c`, as `cmd.exe` sees it. */
function lineOf(command: string, ...args: readonly string[]): string {
  return toSpawnable(command, args, WINDOWS).args.at(-1)!
}

/**
 * What `cmd.exe /s /c` hands to a program: the outer quotes gone, each `^` gone and what follows it literal. A quote that
 * is not escaped would begin a part where `^` means nothing, and a bare metacharacter would be acted on: both fail here.
 */
function readByCmd(line: string): string {
  const inner = /^"(.*)"$/s.exec(line)![1]!
  let read = ''
  for (let at = 0; at < inner.length; at++) {
    if (inner[at] === '^') at++
    else if (/[()%!"<>&|]/.test(inner[at]!)) throw new Error(`cmd.exe acts on ${inner[at]} in ${line}`)
    read += inner[at] ?? ''
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

describe('a command on Windows', () => {
  it('is started as it is when it is a program', () => {
    const args = ['a b', '%PATH%', '"quoted"']
    for (const command of ['node.exe', 'C:\\Program Files\\Tool\\TOOL.EXE', 'more.com'])
      expect(toSpawnable(command, args, WINDOWS)).toEqual({ command, args, isVerbatim: false })
  })

  it('goes through cmd.exe otherwise, since it may be a script', () => {
    expect(toSpawnable('npx', ['-y', '@acme/files'], WINDOWS)).toEqual({
      command: 'cmd.exe',
      args: ['/d', '/s', '/c', '"npx ^"-y^" ^"@acme/files^""'],
      isVerbatim: true,
    })
  })

  it.each(['ComSpec', 'COMSPEC'])('uses the shell that %s names', (name) => {
    const env = { [name]: 'C:\\Windows\\system32\\cmd.exe' }
    expect(toSpawnable('npx', [], { platform: 'win32', env }).command).toBe('C:\\Windows\\system32\\cmd.exe')
  })

  it('is started as it is elsewhere', () => {
    for (const platform of ['linux', 'darwin'] as const)
      expect(toSpawnable('npx', ['a & b'], { platform, env: {} })).toEqual({
        command: 'npx',
        args: ['a & b'],
        isVerbatim: false,
      })
  })

  it.each([
    [['plain', 'two words', '']],
    [['a & calc.exe', 'a | b', 'a > b < c', '(x)']],
    [['%PATH%', '100%', '!PATH!', '^', '^^']],
    [['say "hi"', '"', '""', '" & calc.exe & "']],
    [['C:\\dir\\', 'a\\b', 'a\\\\"b', '\\"', 'trailing \\\\']],
    [['{"json":"with \\"quotes\\" & more"}']],
  ])('gives the program exactly the arguments it was given: %j', (args) => {
    expect(readByProgram(readByCmd(lineOf('tool', ...args)))).toEqual(['tool', ...args])
  })

  it('keeps a path with blanks and parentheses in one piece', () => {
    const line = lineOf('C:\\Program Files (x86)\\tool.cmd', 'x')
    expect(line).toBe('"C:\\Program^ Files^ ^(x86^)\\tool.cmd ^"x^""')
  })
})
