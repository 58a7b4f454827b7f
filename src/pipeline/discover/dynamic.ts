/**
 * dynamic: servers given with the command or through the library, for this run only.
 */
import type { FoundEntry } from '../../model/entry.ts'
import { missingDynamic } from './problems.ts'
import { createSite, parseDocument, type Site, type SiteContext } from './site.ts'
import { lookInOrder } from './source.ts'

export interface DynamicServers {
  /** Files or JSON texts, as given to `--mcp-config`. The last one wins. */
  readonly mcpConfig: readonly string[]
  /** Entries as they would stand under `mcpServers`. They win over files. */
  readonly servers: Readonly<Record<string, unknown>>
}

export function lookAtDynamic(context: SiteContext, given: DynamicServers): Promise<readonly FoundEntry[]> {
  const site = createSite(context, 'plugboard')
  const option = JSON.stringify({ mcpServers: given.servers }, undefined, 2)
  const hasOption = Object.keys(given.servers).length > 0
  return lookInOrder([
    ...(hasOption ? [() => lookAtText(context, site, { file: 'servers option', text: option })] : []),
    ...given.mcpConfig.toReversed().map((argument) => () => lookAtArgument(context, site, argument)),
  ])
}

async function lookAtArgument(
  context: SiteContext,
  site: Site,
  argument: string,
): Promise<readonly FoundEntry[]> {
  // A path never begins like this; and what is no JSON after all must not be repeated in a message about a path.
  if (/^\s*[{["]/.test(argument)) return lookAtText(context, site, { file: '--mcp-config', text: argument })
  const { paths, files, cwd } = context.world
  const file = paths.resolve(cwd, argument)
  if (files.kind(file) === 'missing') site.report(missingDynamic(file))
  return site.servers({ scope: 'dynamic', file, dialect: 'mcp-json' })
}

async function lookAtText(
  context: SiteContext,
  site: Site,
  { file, text }: { readonly file: string; readonly text: string },
): Promise<readonly FoundEntry[]> {
  const document = await parseDocument(context.log, { file, text, source: 'plugboard', scope: 'dynamic' })
  return document === undefined ? [] : site.servers({ scope: 'dynamic', file, document, dialect: 'mcp-json' })
}
