/**
 * show-rule: a rule and its author, for people and for scripts.
 */
import { toPrintable } from '../../../../base/printable.ts'
import type { Action, PermissionRule } from '../../../../model/permission.ts'
import type { Brush, Paint } from '../../../shared/paint.ts'
import { showSpot, toShownFile, type Here } from '../../../shared/show-path.ts'

export function actionBrush(action: Action, paint: Paint): Brush {
  return { allow: paint.green, ask: paint.yellow, deny: paint.red }[action]
}

/** `rule \`mcp__github__*\`, ~/.config/plugboard/settings.json:3:7   (user settings)`. */
export function showRule({ tool, level, by }: PermissionRule, here: Here): string {
  const place = by === undefined ? '' : `, ${showSpot(by, here)}`
  return `rule \`${toPrintable(tool)}\`${place}   (${showLevel(level)})`
}

export function showLevel(level: PermissionRule['level']): string {
  return level === 'session' ? 'this session' : level === 'managed' ? 'organisation' : `${level} settings`
}

export interface RuleJson {
  readonly tool: string
  readonly action: Action
  readonly level: PermissionRule['level']
  readonly file?: string
  readonly line?: number
  readonly column?: number
  readonly reason?: string
}

export function toRuleJson({ tool, action, level, by, reason }: PermissionRule): RuleJson {
  return {
    tool,
    action,
    level,
    ...(by === undefined ? {} : { ...by, file: toShownFile(by.file) }),
    ...(reason === undefined ? {} : { reason }),
  }
}
