/**
 * setting-problems: faults of a settings file, and their places.
 */
import { findNearest } from '../../base/edit-distance.ts'
import { spotOf, type ConfigDocument, type ConfigNode, type Member } from '../../model/document.ts'
import type { SourceId, Spot } from '../../model/origin.ts'
import type { Level } from '../../model/policy.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem, createWarning, whereOf } from '../../problem/problem.ts'

/** The file that is being read. */
export interface At {
  readonly level: Level
  readonly document: ConfigDocument
  /** The agent that owns the file. Absent: it is our own file. */
  readonly source?: SourceId
}

export function spotAt({ document }: At, node: ConfigNode): Spot {
  return spotOf(document, node)
}

export function whereAt(
  at: At,
  span: { readonly start: number; readonly end: number },
): ReturnType<typeof whereOf> {
  return whereOf(at.document, span, { source: at.source ?? 'plugboard', scope: at.level })
}

export function whereKey(at: At, { keyStart, keyEnd }: Member): ReturnType<typeof whereOf> {
  return whereAt(at, { start: keyStart, end: keyEnd })
}

export function malformed(at: At, node: ConfigNode, message: string, hints: readonly string[] = []): Problem {
  return createProblem({ code: 'normalize/setting', message, where: whereAt(at, node), hints })
}

export function notHere(at: At, member: Member, reason: string): Problem {
  return createWarning({
    code: 'normalize/setting-ignored',
    message: `\`${member.key}\` is ignored here: ${reason}`,
    where: whereKey(at, member),
  })
}

export function unknownSetting(at: At, member: Member, known: readonly string[]): Problem {
  const nearest = findNearest(member.key, known)
  return createWarning({
    code: 'normalize/setting-unknown',
    message: `the setting \`${member.key}\` is not used by this version`,
    where: whereKey(at, member),
    hints: nearest === undefined ? [] : [`did you mean \`${nearest}\`?`],
  })
}

/** In Claude Code an empty list admits no server; here it restricts nothing. */
export function emptyAllowList(at: At, member: Member): Problem {
  return createWarning({
    code: 'normalize/empty-allow-list',
    message: `\`${member.key}\` is empty, so it restricts nothing`,
    where: whereKey(at, member),
    hints: [`to admit no server at all, write \`"deniedMcpServers": ["*"]\``],
  })
}

/** A misspelt key that cannot be skipped: without it, the gateway would serve more than its owner wants. */
export function misspelt(
  at: At,
  member: Member,
  { path, known }: { readonly path: string; readonly known: readonly string[] },
): Problem {
  const nearest = findNearest(member.key, known)
  return createProblem({
    code: 'normalize/setting-unknown',
    message: `there is no setting \`${path}\`, and the gateway does not start with a key that it does not know`,
    where: whereKey(at, member),
    hints: [nearest === undefined ? `keys: ${known.join(', ')}` : `did you mean \`${nearest}\`?`],
  })
}
