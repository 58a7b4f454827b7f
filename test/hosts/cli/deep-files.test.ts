/**
 * deep-files: files that are nested deeper than anything reads, where a command would change them. The built command.
 */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { openMachine } from '../../processes/plugboard.ts'

const brackets = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

const FORMATS: readonly (readonly [string, (deep: string) => string, readonly string[]])[] = [
  [
    './.plugboard/mcp.json',
    (deep) => `{"mcpServers":{},"a":${deep}}`,
    ['add', 'n', '--scope', 'project', '--', 'node', 'n.mjs'],
  ],
  [
    './.plugboard/settings.json',
    (deep) => `{"a":${deep}}`,
    ['permissions', 'deny', 'mcp__x__y', '--scope', 'project'],
  ],
  [
    './.codex/config.toml',
    (deep) => `a = ${deep}\n`,
    ['export', 'codex', 'u', '--scope', 'project', '--yes'],
  ],
  ['~/.config/goose/config.yaml', (deep) => `a: ${deep}\n`, ['export', 'goose', 'u', '--yes']],
  [
    '~/.config/goose/config.yaml',
    (deep) => `a:\n  ${'- '.repeat(deep.length / 2)}\n`,
    ['connect', 'goose', '--yes'],
  ],
]

for (const depth of [250, 20_000]) {
  test.each(FORMATS)(
    `%s with ${depth} levels is not changed, and told to be too deep`,
    async (file, write, args) => {
      using machine = openMachine({
        '~/.config/plugboard/mcp.json': { mcpServers: { u: { command: 'node', args: ['u.mjs'] } } },
        [file]: write(brackets(depth)),
      })
      const before = readFileSync(machine.at(file), 'utf8')
      const { code, stdout, stderr } = await machine.run(args)
      expect(stdout + stderr).toMatch(/file does not parse: it is nested too deeply/)
      expect(code).toBe(2)
      expect(readFileSync(machine.at(file), 'utf8')).toBe(before)
    },
  )
}
