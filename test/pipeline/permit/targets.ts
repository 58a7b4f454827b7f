/**
 * targets: tools to ask about, and permissions to ask with.
 */
import type { ListedTool } from '../../../src/model/offering.ts'
import type { CallTarget, Grant, PermissionRule, Permissions } from '../../../src/model/permission.ts'
import type { NameStyle } from '../../../src/model/settings.ts'
import { nameOf } from '../../../src/pipeline/name/name.ts'

export const STYLES: readonly NameStyle[] = ['double', 'bare', 'single']

export interface TargetOptions {
  readonly style?: NameStyle
  readonly fingerprint?: string
  readonly definition?: Partial<ListedTool>
}

/** As a board would ask: with its names in every style. */
export function createTarget(server: string, tool: string, options: TargetOptions = {}): CallTarget {
  const { style = 'double', fingerprint = `is ${server}`, definition = {} } = options
  return {
    server,
    tool,
    name: nameOf(server, tool, style),
    otherNames: STYLES.filter((one) => one !== style).map((one) => nameOf(server, tool, one)),
    fingerprint,
    definition: { inputSchema: {}, ...definition, name: tool },
  }
}

export function createPermissions(given: Partial<Permissions> = {}): Permissions {
  return { mode: 'default', rules: [], grants: [], pins: [], filters: [], ...given }
}

export function createRule(
  action: PermissionRule['action'],
  tool: string,
  level: PermissionRule['level'] = 'user',
): PermissionRule {
  return { tool, action, level, by: { file: `/${level}/settings.json`, line: 1, column: 1 } }
}

export function createGrant({ server, fingerprint, tool }: CallTarget): Grant {
  return { server, fingerprint, tool, until: 'always' }
}
