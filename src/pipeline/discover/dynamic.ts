/**
 * dynamic: servers from the command line or from the library, for this run only.
 */
import type { FoundEntry } from '../../model/entry.ts'
import { badServersOption, missingDynamic } from './problems.ts'
import { createSite, parseDocument, type Site, type SiteContext } from './site.ts'
import { lookInOrder } from './source.ts'

export interface DynamicServers {
  /** Files or JSON texts, as given to `--mcp-config`. The last one wins. */
  readonly mcpConfig: readonly string[]
  /** Entries as under `mcpServers`. They win over files. */
  readonly servers: Readonly<Record<string, unknown>>
}

export function lookAtDynamic(context: SiteContext, given: DynamicServers): Promise<readonly FoundEntry[]> {
  const site = createSite(context, 'plugboard')
  const option = toText(given.servers)
  if (option === undefined) site.report(badServersOption())
  const hasOption = option !== undefined && Object.keys(given.servers).length > 0
  return lookInOrder([
    ...(hasOption ? [() => lookAtText(site, { file: 'servers option', text: option })] : []),
    ...given.mcpConfig
      .map((argument, i) => ({ argument, label: given.mcpConfig.length === 1 ? FLAG : `${FLAG} #${i + 1}` }))
      .toReversed()
      .map((one) => () => lookAtArgument(context, site, one)),
  ])
}

const FLAG = '--mcp-config'

/** Undefined for values that JSON cannot express, such as an object that contains itself or is nested without end. */
function toText(servers: DynamicServers['servers']): string | undefined {
  try {
    return JSON.stringify({ mcpServers: servers }, undefined, 2)
  } catch (error) {
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error
    return undefined
  }
}

async function lookAtArgument(
  context: SiteContext,
  site: Site,
  { argument, label }: { readonly argument: string; readonly label: string },
): Promise<readonly FoundEntry[]> {
  // A path never begins like this. If the text is not JSON after all, no message about a path may repeat it.
  if (/^\s*[{["]/.test(argument)) return lookAtText(site, { file: label, text: argument })
  const { paths, files, cwd } = context.world
  const file = paths.resolve(cwd, argument)
  if (files.kind(file) === 'missing') site.report(missingDynamic(file))
  return site.servers({ scope: 'dynamic', file, dialect: 'mcp-json' })
}

async function lookAtText(
  site: Site,
  { file, text }: { readonly file: string; readonly text: string },
): Promise<readonly FoundEntry[]> {
  const { document, problem } = await parseDocument({ file, source: 'plugboard', scope: 'dynamic' }, text)
  if (problem !== undefined) site.report(problem)
  return document === undefined ? [] : site.servers({ scope: 'dynamic', file, document, dialect: 'mcp-json' })
}
