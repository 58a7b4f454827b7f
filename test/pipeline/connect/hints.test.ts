/**
 * hints: what to do about a server that is slow, in the words of the file that declares it.
 */
import { expect, test } from 'vitest'
import { createDocument } from '../../../src/model/document.ts'
import type { DialectId } from '../../../src/model/entry.ts'
import type { Scope, SourceId } from '../../../src/model/origin.ts'
import { adviseOnLimit } from '../../../src/pipeline/connect/hints.ts'
import { parseText } from '../../../src/pipeline/discover/formats/parse-text.ts'

async function advise(from: readonly [DialectId, SourceId, Scope], entry = '{}'): Promise<readonly string[]> {
  const [dialect, source, scope] = from
  const parsed = await parseText(entry, 'json')
  if (parsed.kind === 'fault') throw new Error(parsed.message)
  const document = createDocument('/x.json', entry, parsed.root)
  const origin = { file: '/x.json', line: 1, column: 1, source, scope }
  const found = { name: 'a b', origin, dialect, document, node: parsed.root }
  return adviseOnLimit({ name: 'a b', found } as never)
}

test.each([
  ['xcsh', 'oh-my-pi', '{}', 'raise `timeout` (milliseconds) in its entry'],
  ['codex', 'codex', '{}', 'raise `startup_timeout_sec` (seconds) in its entry'],
  ['codex', 'codex', '{"startup_timeout_ms": 1}', 'raise `startup_timeout_ms` (milliseconds) in its entry'],
  ['crush', 'crush', '{}', 'raise `timeout` (seconds) in its entry'],
  ['opencode', 'opencode', '{"timeout": 1}', 'raise `timeout` (milliseconds) in its entry'],
  [
    'opencode',
    'opencode',
    '{"timeout": {"startup": 1}}',
    'raise `timeout.startup` (milliseconds) in its entry',
  ],
] as const)('%s, from %s, with %s: %s', async (dialect, source, entry, advice) => {
  expect(await advise([dialect, source, 'user'], entry)).toEqual([`if it is only slow to start, ${advice}`])
})

test.each([
  ['cursor', 'cursor', 'user', "plugboard import cursor 'a b'"],
  // A copy for the user would stand below the entry of the project.
  ['vscode', 'vscode', 'project', "plugboard import vscode 'a b' --scope local"],
] as const)('%s has no such limit: a copy of the server does', async (dialect, source, scope, command) => {
  const [hint, ...more] = await advise([dialect, source, scope])
  expect(hint).toContain(`run \`${command}\` and raise \`startupTimeout\` (milliseconds) in the copy`)
  expect(more).toEqual([])
})

test.each(['plugin', 'connector', 'managed', 'dynamic'] as const)(
  'from the %s scope, which nobody copies, there is no such hint',
  async (scope) => {
    expect(await advise(['claude-plugin', 'claude-code', scope])).toEqual([])
  },
)
