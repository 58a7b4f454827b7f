/**
 * examine-tools: what is suspicious about the tools that servers offered at the last connection.
 *
 * in     a loaded catalog
 * out    texts with characters that a reader cannot see; tools that differ from what the user approved
 * never  starts a server
 */
import { toCommandLine } from '../base/command-line.ts'
import { findHidden } from '../base/hidden-text.ts'
import { isObject } from '../base/is-object.ts'
import { toPrintable } from '../base/printable.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import type { ListedTool } from '../model/offering.ts'
import type { Problem } from '../model/problem.ts'
import { createWarning, whereOrigin } from '../problem/problem.ts'
import type { Platform, World } from '../world/world.ts'
import { findKnownTools, toToolToCall } from './known-tools.ts'
import type { LoadedCatalog } from './load-catalog.ts'
import { reviewPins } from './pin-review.ts'

export function examineTools(world: World, loaded: LoadedCatalog): readonly Problem[] {
  const hidden = findKnownTools(world, loaded).flatMap(({ server, tools }) =>
    tools.flatMap((tool) => {
      const { name } = toToolToCall(server.name, tool, loaded.toolNames)
      return examineTool(server, { tool, name }, world.platform)
    }),
  )
  const changed = reviewPins(world, loaded).pins.flatMap(({ pin, name, state }) =>
    state === 'changed' ? [pinChanged(`${pin.server}.${pin.tool}`, name, world.platform)] : [],
  )
  return [...hidden, ...changed]
}

function examineTool(
  server: AdmittedServer,
  { tool, name }: { readonly tool: ListedTool; readonly name: string },
  platform: Platform,
): readonly Problem[] {
  const found = textsOf(tool).flatMap(({ field, text }) => findHidden(text).map((one) => ({ field, ...one })))
  if (found.length === 0) return []
  return [
    createWarning({
      code: 'doctor/hidden-characters',
      message: `the tool \`${toPrintable(tool.name)}\` of \`${server.name}\` holds ${found[0]!.what}: a model reads what you do not see`,
      where: whereOrigin(server.found.origin, server.name),
      notes: found.slice(0, MOST_NOTES).map(({ field, around }) => `in its ${field}: ${around}`),
      hints: [
        `if you do not know why, run \`${toCommandLine('plugboard permissions deny', [name], platform)}\``,
      ],
    }),
  ]
}

const MOST_NOTES = 5

/** Every text in a tool that is meant for a reader. */
function textsOf(tool: ListedTool): readonly { readonly field: string; readonly text: string }[] {
  const own = ['name', 'title', 'description'].map((field) => ({ field, text: tool[field] }))
  const isText = (one: {
    readonly field: string
    readonly text: unknown
  }): one is { field: string; text: string } => typeof one.text === 'string'
  return [...own, ...descriptionsIn(tool.inputSchema, 'schema')].filter(isText)
}

/** Names of arguments, and their descriptions. */
function descriptionsIn(value: unknown, field: string): readonly { field: string; text: unknown }[] {
  if (Array.isArray(value)) return value.flatMap((item) => descriptionsIn(item, field))
  if (!isObject(value)) return typeof value === 'string' ? [{ field, text: value }] : []
  return Object.entries(value).flatMap(([key, inner]) => [
    { field, text: key },
    ...descriptionsIn(inner, field),
  ])
}

function pinChanged(title: string, name: string, platform: Platform): Problem {
  return createWarning({
    code: 'doctor/pin-changed',
    message: `\`${title}\` is not what you approved`,
    hints: [
      `to see what changed, run \`${toCommandLine('plugboard pins diff', [name], platform)}\``,
      `to accept it, run \`${toCommandLine('plugboard pins accept', [name], platform)}\``,
    ],
  })
}
