/**
 * turned-off: finds what keeps Plugboard from looking for servers, for commands that then have nothing to show.
 */
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { showSpot } from '../shared/show-path.ts'
import type { CommandContext } from './command.ts'

/** Undefined when Plugboard did look. */
export function whoTurnedOff({ flags, world }: CommandContext, { off }: LoadedCatalog): string | undefined {
  if (flags['no-mcp'] === true) return 'Plugboard is turned off by `--no-mcp`'
  return off === undefined ? undefined : `Plugboard is turned off by ${showSpot(off, world)}`
}
