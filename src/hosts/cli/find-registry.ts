/**
 * find-registry: the MCP registry from the flag, otherwise from the settings, otherwise the official one.
 */
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { OFFICIAL_REGISTRY } from '../../runtime/manage/registry.ts'
import type { CommandContext } from './command.ts'

export function findRegistry({ flags }: CommandContext, { registry }: LoadedCatalog): string {
  const given = flags['registry']
  return typeof given === 'string' ? given : (registry ?? OFFICIAL_REGISTRY)
}
