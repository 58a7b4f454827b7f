/**
 * connectors: fetches hosted lists of servers from URLs that the user configured.
 *
 * in     the connectors of the user's settings; whether this run may fetch, and why it must not fetch one of them
 * out    entries of the newest copy; a failed fetch gives a problem and the last copy, and never delays the run beyond
 *        the limit
 */
import { sha256 } from '../../base/sha256.ts'
import type { ConnectorRefusal } from '../../model/catalog.ts'
import type { FoundEntry } from '../../model/entry.ts'
import { describeWebError } from '../../model/network.ts'
import type { Connector } from '../../model/settings.ts'
import { fillTemplate } from '../../model/template.ts'
import { UpdateError } from '../../world/world.ts'
import { maskText } from '../../problem/mask-text.ts'
import { connectorExcluded, connectorFailed, connectorUnfetched } from './problems.ts'
import { parseText } from './formats/parse-text.ts'
import { createSite, parseDocument, record, type SiteContext } from './site.ts'
import { lookInOrder } from './source.ts'

const FETCH_LIMIT_MS = 3000

/** The text of a connector's answer, and when it arrived. */
interface Copy {
  readonly text: string
  readonly fetchedAt: number
}

export async function lookAtConnectors(
  context: SiteContext,
  mode: 'cached' | 'fetch',
  refusalOf: (connector: Connector) => ConnectorRefusal | undefined,
): Promise<readonly FoundEntry[]> {
  const { connectors } = context.settings
  const refusals = connectors.map(refusalOf)
  const fresh = await Promise.all(
    connectors.map((one, i) =>
      mode === 'fetch' && refusals[i] === undefined ? fetchCopy(context, one) : undefined,
    ),
  )
  const site = createSite(context, 'plugboard')
  return lookInOrder(
    connectors.map((connector, i) => async () => {
      const refusal = refusals[i]
      if (refusal !== undefined) site.report(connectorExcluded(connector.url, connector.by, refusal))
      const copy = refusal?.isDenied === true ? undefined : (fresh[i] ?? readCopy(context, connector))
      const place = { file: maskText(connector.url), source: 'plugboard', scope: 'connector' } as const
      if (copy === undefined) {
        if (mode === 'cached' && refusal === undefined)
          site.report(connectorUnfetched(connector.url, connector.by))
        record(context.log, { ...place, exists: false, entries: 0 })
        return []
      }
      const { document, problem } = await parseDocument(place, copy.text)
      if (problem !== undefined) site.report(problem)
      if (document === undefined) {
        record(context.log, { ...place, exists: true, entries: 0, fetchedAt: copy.fetchedAt })
        return []
      }
      return site.servers({ ...place, document, dialect: 'connector', fetchedAt: copy.fetchedAt })
    }),
  )
}

async function fetchCopy(context: SiteContext, connector: Connector): Promise<Copy | undefined> {
  const { world, log } = context
  const fail = (reason: string): undefined => {
    log.problems.push(connectorFailed(connector.url, connector.by, reason))
    return undefined
  }
  const headers = new Map(
    [...connector.headers].map(([name, value]) => [name, fillTemplate(value, world.env)]),
  )
  const unset = [...headers].find(([, value]) => value === undefined)
  if (unset !== undefined) return fail(`its header \`${unset[0]}\` needs a variable that is not set`)
  try {
    const signal = AbortSignal.timeout(FETCH_LIMIT_MS)
    const sent = Object.fromEntries(headers) as Record<string, string>
    const { status, text } = await world.web.get(connector.url, { headers: sent, signal })
    if (status !== 200) return fail(`it answered with HTTP status ${status}`)
    // A text that does not parse, such as the sign-in page of a network, must not replace the last good copy.
    const parsed = await parseText(text, 'json')
    if (parsed.kind === 'fault') return fail(`its answer is not JSON: ${parsed.message}`)
    const copy = { text, fetchedAt: world.clock.now() }
    await keepCopy(context, connector, copy)
    return copy
  } catch (error) {
    const isLate = error instanceof Error && error.name === 'TimeoutError'
    return fail(
      isLate ? `no answer within ${FETCH_LIMIT_MS / 1000} s` : describeWebError(error, connector.url),
    )
  }
}

/** The copy serves this run even if it cannot be stored. The catalog warns of a folder that cannot be used. */
async function keepCopy(context: SiteContext, connector: Connector, copy: Copy): Promise<void> {
  const { files } = context.world
  const text = JSON.stringify({ url: connector.url, ...copy })
  await files
    .update(copyFile(context, connector), 0o600, () => text)
    .catch((error: unknown) => {
      if (!(error instanceof UpdateError)) throw error
    })
}

function readCopy(context: SiteContext, connector: Connector): Copy | undefined {
  const read = context.world.files.read(copyFile(context, connector))
  if (read.kind !== 'text') return undefined
  try {
    const copy = JSON.parse(read.text) as Partial<Copy>
    const isWhole = typeof copy.text === 'string' && typeof copy.fetchedAt === 'number'
    return isWhole ? { text: copy.text!, fetchedAt: copy.fetchedAt! } : undefined
  } catch (error) {
    context.log.problems.push(
      connectorFailed(
        connector.url,
        connector.by,
        `its last copy is damaged: ${describeWebError(error, connector.url)}`,
      ),
    )
    return undefined
  }
}

function copyFile({ world, dirs }: SiteContext, connector: Connector): string {
  return world.paths.join(dirs.cache, 'connectors', `${sha256(connector.url).slice(0, 16)}.json`)
}
