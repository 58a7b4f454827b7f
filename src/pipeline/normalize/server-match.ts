/**
 * server-match: one rule in a list of servers, in our settings or in those of Claude Code.
 */
import { toText, type ConfigNode } from '../../model/document.ts'
import type { ServerMatch } from '../../model/policy.ts'

export const SERVER_RULE_FORMS =
  'a rule is a name, `{ "serverName": … }`, `{ "serverUrl": … }` or `{ "serverCommand": … }`'

/** Undefined for any other form. */
export function toServerMatch(node: ConfigNode): ServerMatch | undefined {
  const bare = toText(node)
  if (bare !== undefined) return { kind: 'name', pattern: bare }
  if (node.kind !== 'object' || node.members.length !== 1) return undefined
  const { key, value } = node.members[0]!
  const text = toText(value)
  if (key === 'serverName' && text !== undefined) return { kind: 'name', pattern: text }
  if (key === 'serverUrl' && text !== undefined) return { kind: 'url', pattern: text }
  if (key !== 'serverCommand') return undefined
  if (text !== undefined) return { kind: 'command-pattern', pattern: text }
  const argv = value.kind === 'array' ? value.items.map(toText) : [undefined]
  return argv.includes(undefined) || argv.length === 0
    ? undefined
    : { kind: 'command', argv: argv as string[] }
}
