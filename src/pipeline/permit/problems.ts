/**
 * problems: explains why a call was not permitted, in words that help the user and that a model can pass on.
 */
import { toCommandLine } from '../../base/command-line.ts'
import { unreachable } from '../../base/unreachable.ts'
import type { Spot } from '../../model/origin.ts'
import type { CallTarget, Evidence, PathDiff, PermissionRule, PinDiff } from '../../model/permission.ts'
import type { Problem, Where } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import type { Platform } from '../../world/world.ts'
import { diffPin } from './pin-diff.ts'

/** Built-in tools have no server. */
type Named = Pick<CallTarget, 'server' | 'tool'>

type Titled = Named & Pick<CallTarget, 'name'>

/** Names the evidence that denied the call. */
export function denied(target: Titled, by: Evidence, platform: Platform): Problem {
  const title = titleOf(target)
  switch (by.kind) {
    case 'rule':
      return deniedByRule(target, by.rule, platform)
    case 'mode':
      return createProblem({
        code: DENIED,
        message: `plan mode does not allow ${title}`,
        ...(by.by === undefined ? {} : { where: { ...by.by, isNamed: true } }),
        notes: [
          'in plan mode no tool of any server runs, since nobody can know what it changes',
          ...(by.by === undefined ? [] : [`plan mode is set by ${showSpot(by.by)}`]),
        ],
        hints: by.by === undefined ? ['leave plan mode, and try again'] : [],
      })
    case 'filter':
      return createProblem({
        code: DENIED,
        message: `this agent may not use ${title}`,
        notes: ['it was given other tools only'],
      })
    case 'unreadable':
      return createProblem({
        code: DENIED,
        message: `the rules cannot be understood, so ${title} is not allowed, and no other tool`,
        ...(by.problem.where === undefined ? {} : { where: by.problem.where }),
        notes: [by.problem.message],
        hints: by.problem.hints,
      })
    case 'person':
      return createProblem({
        code: 'permit/declined',
        message: `you did not allow ${title}`,
        notes: reasonOf(by),
      })
    // These kinds of evidence never deny.
    case 'pin':
    case 'grant':
    case 'default':
      return createProblem({ code: DENIED, message: `${title} is not allowed` })
    default:
      return unreachable(by)
  }
}

const DENIED = 'permit/denied'

function deniedByRule(target: Titled, rule: PermissionRule, platform: Platform): Problem {
  return createProblem({
    code: DENIED,
    message: `policy does not allow ${titleOf(target)}`,
    ...whereOf(rule),
    notes: [`denied by ${showRule(rule)}`, ...reasonOf(rule)],
    hints: [
      `to see every rule that was considered, run \`${toCommandLine('plugboard permissions explain', [target.name], platform)}\``,
    ],
  })
}

/** The user would have to answer, and this run cannot ask. */
export function needsAnswer(target: CallTarget, by: Evidence, platform: Platform): Problem {
  if (by.kind === 'pin') return changed(target, by, platform)
  const title = titleOf(target)
  const message = `${title} needs your permission, and nobody can be asked here`
  if (by.kind === 'unreadable') {
    const { where, message: why, hints } = by.problem
    return createProblem({
      code: NEEDS_ANSWER,
      message,
      ...(where === undefined ? {} : { where }),
      notes: [why],
      hints,
    })
  }
  if (by.kind === 'rule') {
    const { rule } = by
    return createProblem({
      code: NEEDS_ANSWER,
      message,
      ...whereOf(rule),
      notes: [`it is to be asked by ${showRule(rule)}`, ...reasonOf(rule)],
      hints:
        rule.level === 'user' || rule.level === 'local' ? [`to allow it, change that rule to \`allow\``] : [],
    })
  }
  return createProblem({
    code: NEEDS_ANSWER,
    message,
    notes: ['no rule allows it'],
    hints: [`to allow it, run \`${toCommandLine('plugboard permissions allow', [target.name], platform)}\``],
  })
}

const NEEDS_ANSWER = 'permit/needs-answer'

function changed(
  target: CallTarget,
  { change: { was, is } }: Extract<Evidence, { kind: 'pin' }>,
  platform: Platform,
): Problem {
  const run = (verb: string): string =>
    `\`${toCommandLine(`plugboard pins ${verb}`, [target.name], platform)}\``
  return createProblem({
    code: 'permit/changed',
    message: `${titleOf(target)} is not what you approved on ${was.at.slice(0, 10)}`,
    notes: summarize(diffPin(was.definition, is)),
    hints: [`to see what changed, run ${run('diff')}`, `to accept it, run ${run('accept')}`],
  })
}

/** A tool of a removed server, perhaps since the last reload. */
export function unknownServer(server: string): Problem {
  return createProblem({
    code: DENIED,
    message: `no server named \`${server}\` may run here, so its tools may not be called`,
    hints: ['to see every server and the file it came from, run `plugboard list --all`'],
  })
}

/**
 * Says only that the tool changed, and where. The server's own text is for the user to read, and this may go to a
 * model.
 */
function summarize({ name, description, schema, fields }: PinDiff): readonly string[] {
  return [
    ...(name === undefined ? [] : ['its name changed']),
    ...(description.length === 0 ? [] : ['its description changed']),
    ...(schema.length === 0 ? [] : [`its schema changed: ${namePaths(schema)}`]),
    ...(fields.length === 0 ? [] : [`other fields changed: ${namePaths(fields)}`]),
  ]
}

function namePaths(changes: readonly PathDiff[]): string {
  const paths = changes.slice(0, 5).map(({ path }) => `\`${path.slice(0, 60)}\``)
  const more = changes.length > paths.length ? [`${changes.length - paths.length} more`] : []
  return [...paths, ...more].join(', ')
}

/** `github.delete_repo`; a built-in tool has only its own name. */
export function titleOf({ server, tool }: Named): string {
  return server === '' ? `\`${tool}\`` : `\`${server}.${tool}\``
}

const LEVEL_TITLES: Readonly<Record<PermissionRule['level'], string>> = {
  managed: 'organisation',
  user: 'user settings',
  local: 'local settings',
  project: 'project settings',
  session: 'this session',
}

function showRule({ tool, level, by }: PermissionRule): string {
  return `rule \`${tool}\` (${[LEVEL_TITLES[level], ...(by === undefined ? [] : [showSpot(by)])].join(', ')})`
}

function showSpot({ file, line, column }: Spot): string {
  return [file, line, column].filter((part) => part !== undefined).join(':')
}

function whereOf({ by }: PermissionRule): { readonly where?: Where } {
  return by === undefined ? {} : { where: { ...by, isNamed: true } }
}

function reasonOf({ reason }: { readonly reason?: string }): readonly string[] {
  return reason === undefined || reason.trim() === '' ? [] : [`reason given: "${reason}"`]
}
