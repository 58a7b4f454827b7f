/**
 * write: `permissions allow`, `ask` and `deny` write a rule into a settings file.
 */
import { toPrintable } from '../../../../base/printable.ts'
import type { Action } from '../../../../model/permission.ts'
import { createWarning } from '../../../../problem/problem.ts'
import type { LoadedCatalog } from '../../../../runtime/load-catalog.ts'
import {
  findStricter,
  findUnknownServer,
  writeRules,
  type RuleScope,
  type RuleWritten,
} from '../../../../runtime/permission-rules.ts'
import { showPath } from '../../../shared/show-path.ts'
import type { CommandContext, CommandModule } from '../../command.ts'
import { DONE } from '../../exit-codes.ts'
import { printJson, printLines, reportBeside } from '../../print.ts'
import { findScope } from './scope.ts'
import { showRule } from './show-rule.ts'

export function writeAs(action: Action): CommandModule['run'] {
  return async (context) => {
    const { world, flags, args, json, terminal } = context
    const scope = findScope(flags) ?? 'user'
    const reason = flags['reason']
    const rules = args.map((tool) => ({ tool, action, ...(typeof reason === 'string' ? { reason } : {}) }))
    const written = await writeRules(world, await context.load(), { scope, rules })
    // Load again, to see what the next run will read.
    const loaded = await context.load()
    if (json) printJson(terminal, { written: written.map((one) => ({ ...one, scope })) })
    else
      printLines(
        terminal,
        written.map((one) => showWritten(context, one)),
      )
    if (!json)
      reportBeside(context, [
        ...stricterNotes(context, loaded, written),
        ...serverNotes(loaded, written),
        ...scopeNotes(loaded, scope),
        // While the permissions are broken, Plugboard allows nothing.
        ...(loaded.permissions.broken === undefined ? [] : [loaded.permissions.broken]),
      ])
    return DONE
  }
}

const WORDS = { allow: 'allowed', ask: 'to be asked', deny: 'denied' }

function showWritten({ world }: CommandContext, { tool, action, file, done }: RuleWritten): string {
  const what = `\`${toPrintable(tool)}\` is ${WORDS[action]}`
  return `${what} (${done}, ${showPath(file, world)})`
}

/** The strictest rule wins, so the new rule may change nothing. */
function stricterNotes(
  { world }: CommandContext,
  loaded: LoadedCatalog,
  written: readonly RuleWritten[],
): ReturnType<typeof createWarning>[] {
  return written.flatMap(({ tool, action }) => {
    const [stricter] = findStricter(loaded, { tool, action })
    if (stricter === undefined) return []
    return [
      createWarning({
        code: 'permit/outranked',
        message: `a stricter rule decides about \`${tool}\` all the same: it ${stricter.action === 'deny' ? 'denies' : 'asks'}`,
        notes: [showRule(stricter, world)],
      }),
    ]
  })
}

/** A rule may exist before its server, but a typing mistake is more likely. */
function serverNotes(
  loaded: LoadedCatalog,
  written: readonly RuleWritten[],
): ReturnType<typeof createWarning>[] {
  return written.flatMap(({ tool }) => {
    const unknown = findUnknownServer(loaded, tool)
    if (unknown === undefined) return []
    const { server, nearest } = unknown
    return [
      createWarning({
        code: 'permit/no-server',
        message: `no server is named \`${server}\`, so that \`${tool}\` names nothing now`,
        hints: nearest === undefined ? [] : [`did you mean \`${nearest}\`?`],
      }),
    ]
  })
}

function scopeNotes({ permissions }: LoadedCatalog, scope: RuleScope): ReturnType<typeof createWarning>[] {
  const isInForce = permissions.rules.some(({ level }) => level === 'project')
  if (scope !== 'project' || isInForce) return []
  return [
    createWarning({
      severity: 'info',
      code: 'permit/not-yet',
      message: 'rules of a project count for those who approved a server of it, and you did not yet',
    }),
  ]
}
