/**
 * fingerprint: finds out whether two definitions would be launched alike.
 *
 * in     a server as its files have it
 * out    a hash, which shows a change but not a value
 */
import { sha256 } from '../../base/sha256.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import type { Transport } from '../../model/definition.ts'
import { showTemplate, type Part, type Template } from '../../model/template.ts'

/** Of the unexpanded definition. Its name, its tool filters and the settings for hosts do not change the connection. */
export function fingerprintOf(server: AdmittedServer): string {
  const { transport, values, protocol, auth, inheritEnv, timeoutMs, startupTimeoutMs, found } = server
  const base = dependsOnBase(server) ? found.baseDir : undefined
  const parts = { transport, values, protocol, auth, inheritEnv, timeoutMs, startupTimeoutMs, base }
  return sha256(JSON.stringify(toStable(parts)))
}

/** With sorted keys: the order of variables and headers has no meaning, that of arguments and parts has. */
function toStable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(toStable)
  if (typeof value !== 'object' || value === null) return value
  const pairs: [string, unknown][] = value instanceof Map ? [...value] : Object.entries(value)
  const known = pairs.filter(([, one]) => one !== undefined)
  return known.sort(byKey).map(([key, one]) => [key, toStable(one)])
}

function byKey(a: readonly [string, unknown], b: readonly [string, unknown]): number {
  return a[0] < b[0] ? -1 : 1
}

/** Whether any part of it begins at the folder of its file: a path, or a command to run. */
function dependsOnBase({ transport, values }: AdmittedServer): boolean {
  const { paths, others } = templatesOf(transport)
  if (paths.some((path) => !isAbsolute(showTemplate(path)))) return true
  if ('headersHelper' in transport && transport.headersHelper !== undefined) return true
  return others.some(
    (template) =>
      template.some(isRelativeFile) || (values === 'resolvable' && showTemplate(template).startsWith('!')),
  )
}

function templatesOf(transport: Transport): {
  readonly paths: readonly Template[]
  readonly others: readonly Template[]
} {
  switch (transport.type) {
    case 'stdio': {
      const { command, args, env, envFile, cwd } = transport
      const isPath = /[/\\]/.test(showTemplate(command))
      const paths = [isPath ? command : undefined, envFile, cwd].filter((path) => path !== undefined)
      return { paths, others: [command, ...args, ...env.values()] }
    }
    case 'sdk':
      return { paths: [], others: [] }
    default: {
      const headers = 'headers' in transport ? transport.headers.values() : []
      return { paths: [], others: [transport.url, ...headers] }
    }
  }
}

function isRelativeFile(part: Part): boolean {
  return typeof part === 'object' && part.kind === 'file' && !isAbsolute(part.path)
}

/** On any platform. A text that begins with a reference may be any path, so it counts as relative. */
function isAbsolute(path: string): boolean {
  return /^(?:~?[/\\]|[A-Za-z]:[/\\])/.test(path)
}
