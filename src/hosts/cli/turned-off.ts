/**
 * turned-off: who keeps Plugboard from looking anywhere, for commands that then have nothing to say.
 */
import type { LoadedCatalog } from '../../runtime/load-catalog.ts'
import { showSpot } from '../shared/show-path.ts'
import type { CommandContext } from './command.ts'

/** Undefined when it did look. */
export function whoTurnedOff({ flags, world }: CommandContext, { off }: LoadedCatalog): string | undefined {
  if (flags['no-mcp'] === true) return 'Plugboard is turned off by `--no-mcp`'
  return off === undefined ? undefined : `Plugboard is turned off by ${showSpot(off, world)}`
}
