/**
 * save-media: saves images and sounds of a result into the folder that the user names.
 */
import type { ToolResult } from '../../model/outcome.ts'
import { saveMediaTo, type Saved } from '../shared/media-files.ts'
import type { CommandContext } from './command.ts'

const NOTHING: Saved = { files: [], problems: [] }

/** Saves into the folder of `--save-media`; does nothing without the flag. */
export function saveMedia({ flags, world }: CommandContext, { media, details }: ToolResult): Saved {
  const given = flags['save-media']
  if (typeof given !== 'string' || media.length === 0) return NOTHING
  const folder = world.paths.resolve(world.cwd, given)
  return saveMediaTo(world, media, { folder, name: details.mcpToolName, mode: 0o666 })
}
