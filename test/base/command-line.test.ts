/**
 * command-line: a name from a cloned repository must not become a flag or shell code in what the user pastes.
 */
import { expect, test } from 'vitest'
import { toCommandLine } from '../../src/base/command-line.ts'

test.each([
  [['github', '@acme/x'], 'run github @acme/x'],
  [['my server'], "run 'my server'"],
  [['$(rm -rf ~)', "it's"], String.raw`run '$(rm -rf ~)' 'it'\''s'`],
  [['--all', 'x'], 'run -- --all x'],
  [[''], "run ''"],
])('%j is quoted', (names, line) => {
  expect(toCommandLine('run', names, 'linux')).toBe(line)
})

test.each(['my server', 'a"b', '%PATH%', '$(calc)', '`calc`'])(
  '%j is left for its user to type on Windows',
  (name) => {
    expect(toCommandLine('run', [name], 'win32')).toBe('run <name>')
  },
)
