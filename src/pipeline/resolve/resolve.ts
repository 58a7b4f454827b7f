/**
 * resolve: turns an admitted server into a launch, with every value filled in.
 *
 * in     a server that the policy and the user admit; the world; credentials
 * out    a LaunchSpec; each missing value is left out of it and is one of its problems
 * never  rejects; runs a command for a definition whose dialect has no commands in values, except its `headersHelper`
 */
import { createRedactor } from '../../base/redact.ts'
import { SECRET_MARK, Secret } from '../../base/secret.ts'
import { unreachable } from '../../base/unreachable.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import type { LaunchSpec, LaunchTransport, LaunchValue } from '../../model/launch.ts'
import type { Problem } from '../../model/problem.ts'
import { TOKEN_SHAPE } from '../../problem/mask.ts'
import { mapLaunchValue } from './fill.ts'
import { resolveIde } from './ide.ts'
import { leadsIntoFolder } from './problems.ts'
import { createJob, type Job, type ResolveContext, type Timeouts } from './job.ts'
import { resolveRemote } from './remote.ts'
import { secretsOfEnvironment } from './secrets.ts'
import { resolveStdio } from './stdio.ts'

export type { ResolveContext } from './job.ts'

const DEFAULTS: Timeouts = { timeoutMs: 60_000, startupTimeoutMs: 30_000 }

export async function resolve(server: AdmittedServer, context: ResolveContext): Promise<LaunchSpec> {
  const job = createJob(server, context)
  const transport = await resolveTransport(job)
  const { defaults } = context
  return {
    name: server.name,
    transport,
    protocol: server.protocol ?? 'auto',
    timeoutMs: server.timeoutMs ?? defaults?.timeoutMs ?? DEFAULTS.timeoutMs,
    startupTimeoutMs: server.startupTimeoutMs ?? defaults?.startupTimeoutMs ?? DEFAULTS.startupTimeoutMs,
    secrets: [...new Set(job.secrets)].map((text) => new Secret(text)),
    problems: job.problems.length === 0 ? [] : tidy(job),
    ...(server.confinement?.start === 'refused'
      ? { refusal: leadsIntoFolder(server, server.confinement) }
      : {}),
  }
}

async function resolveTransport(job: Job): Promise<LaunchTransport> {
  const { transport } = job.server
  switch (transport.type) {
    case 'stdio':
      return resolveStdio(job, transport)
    case 'http':
    case 'sse':
      return { kind: transport.type, fallback: transport.fallback, ...(await resolveRemote(job, transport)) }
    case 'claudeai-proxy':
      return { kind: 'http', fallback: 'none', ...(await resolveRemote(job, transport)) }
    case 'ws': {
      const { url, headers } = await resolveRemote(job, transport)
      return { kind: 'ws', url: toSocketUrl(url), headers, protocols: SUBPROTOCOLS }
    }
    case 'sse-ide':
      return { kind: 'sse', fallback: 'none', ...resolveIde(job, transport) }
    case 'ws-ide': {
      const { url, headers } = resolveIde(job, transport)
      return { kind: 'ws', url: toSocketUrl(url), headers, protocols: SUBPROTOCOLS }
    }
    case 'sdk':
      return { kind: 'in-process', serverName: transport.sdkName }
    default:
      return unreachable(transport)
  }
}

/** The subprotocol that the SDKs of MCP request and accept. */
const SUBPROTOCOLS = ['mcp']

function toSocketUrl(url: LaunchValue): LaunchValue {
  return mapLaunchValue(url, (text) => text.replace(/^http(?=s?:\/\/)/i, 'ws'))
}

/** The longest line of a note: commands can print anything. */
const NOTE_LENGTH = 300

/** Lists each problem once, and removes secrets from the output of commands, which may repeat their input. */
function tidy({ problems, secrets, context }: Job): readonly Problem[] {
  const known = [...secrets, ...secretsOfEnvironment(context.world.env)]
  const redact = createRedactor(known.map((text) => new Secret(text)))
  const clean = (note: string): string => {
    const safe = redact(note).replace(TOKEN_SHAPE, SECRET_MARK)
    return safe.length > NOTE_LENGTH ? `${safe.slice(0, NOTE_LENGTH)}…` : safe
  }
  const once = new Map(problems.map((problem) => [JSON.stringify(problem), problem]))
  return [...once.values()].map((problem) => ({ ...problem, notes: problem.notes.map(clean) }))
}
