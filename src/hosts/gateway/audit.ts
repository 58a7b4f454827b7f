/**
 * audit: writes one line of JSON for each request: which client asked which server for what, and the outcome.
 *
 * in     finished requests, refusals
 * out    lines in a file that only its user can read (0600), beside files of earlier days (`dated-log.ts`)
 * never  writes down arguments unless the settings ask for it, or text that looks like a secret; keeps a request
 *        waiting; holds a line back beyond the turn in which it came
 */
import { isObject } from '../../base/is-object.ts'
import { SECRET_MARK } from '../../base/secret.ts'
import type { Evidence } from '../../model/permission.ts'
import { isSecretName, maskText } from '../../problem/mask-text.ts'
import { createProblem, ProblemError } from '../../problem/problem.ts'
import type { World } from '../../world/world.ts'
import type { AuditSettings } from '../shared/gateway-host.ts'
import { DatedLog, type DroppedFile } from './dated-log.ts'
import type { Refusal } from './door.ts'
import type { Seen } from './sighting.ts'

export interface AuditOptions extends AuditSettings {
  readonly onLost: (lines: number) => void
  /** Default: `MAX_BYTES`. */
  readonly maxBytes?: number | undefined
}

const MAX_BYTES = 64 * 1024 * 1024

/** Unless the settings say otherwise. */
const KEEP_DAYS = 90
const KEEP_MEGABYTES = 1024

const MEGABYTE = 1024 * 1024

const MODE = 0o600

/** Methods that reach a server, or would have reached it. */
const AUDITED: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'resources/subscribe',
  'prompts/get',
  'completion/complete',
])

export class Audit {
  readonly #world: World
  readonly #options: AuditOptions
  readonly #log: DatedLog
  /** Lines lost since the last successful write. */
  #lost = 0
  #lines: string[] = []
  #cancel: (() => void) | undefined

  /** Throws `serve/audit` when the file cannot be written. */
  constructor(world: World, options: AuditOptions) {
    this.#world = world
    this.#options = options
    const { file, keepDays = KEEP_DAYS, keepMegabytes = KEEP_MEGABYTES, maxBytes = MAX_BYTES } = options
    this.#log = new DatedLog(world, {
      file,
      mode: MODE,
      maxBytes,
      keepDays,
      keepBytes: keepMegabytes * MEGABYTE,
      onDropped: (dropped) => this.#dropped(dropped, { keepDays, keepMegabytes }),
    })
    if (!this.#log.append('')) throw new ProblemError(unwritable(options.file))
  }

  see(seen: Seen): void {
    if (!AUDITED.has(seen.method)) return
    try {
      this.#write(toLine(seen, this.#options.arguments))
    } catch {
      // The record must show what a request did, whatever its arguments are.
      this.#write({ ...toLine(seen, 'left-out'), arguments: '‹cannot be written›' })
    }
  }

  refused(why: Refusal, from: string): void {
    this.#write({ at: this.#now(), refused: why, from })
  }

  flush(): void {
    this.#cancel?.()
    this.#cancel = undefined
    const lines = this.#lines
    this.#lines = []
    if (lines.length === 0) return
    const found = this.#lost === 0 ? '' : this.#toText({ at: this.#now(), lost: this.#lost })
    if (this.#log.append(found + lines.join(''))) return this.#written()
    const { file, onLost, tell } = this.#options
    if (this.#lost === 0)
      tell?.(`the audit log \`${file}\` cannot be written: calls go on, and are not written down`)
    this.#lost += lines.length
    onLost(lines.length)
  }

  #written(): void {
    if (this.#lost > 0)
      this.#options.tell?.(`the audit log can be written again; lines that were lost: ${this.#lost}`)
    this.#lost = 0
  }

  /** The reason is the name of the setting that caused it. */
  #dropped(
    { name, bytes, why }: DroppedFile,
    { keepDays, keepMegabytes }: { readonly keepDays: number; readonly keepMegabytes: number },
  ): string {
    const setting =
      why === 'age'
        ? `\`gateway.auditKeepDays\` is ${keepDays}`
        : `\`gateway.auditKeepMegabytes\` is ${keepMegabytes}`
    this.#options.tell?.(
      `the audit log dropped \`${name}\` (${Math.ceil(bytes / 1024)} KB) for its ${why}: ${setting}`,
    )
    return this.#toText({ at: this.#now(), dropped: name, bytes, why })
  }

  #now(): string {
    return new Date(this.#world.clock.now()).toISOString()
  }

  #toText(line: object): string {
    return `${JSON.stringify(line)}\n`
  }

  /** Lines of one turn are written together. */
  #write(line: object): void {
    this.#lines.push(this.#toText(line))
    this.#cancel ??= this.#world.clock.after(0, () => this.flush())
  }
}

function toLine(seen: Seen, keep: AuditOptions['arguments']): object {
  const { at, principal, client, era, method, server, name, verdict, outcome, code } = seen
  return {
    at: new Date(at).toISOString(),
    who: principal.who,
    ...(client === undefined ? {} : { client }),
    era,
    method,
    ...(server === undefined ? {} : { server }),
    ...(name === undefined ? wantedIn(seen) : { [keyOf(method)]: maskText(name) }),
    ...(verdict === undefined ? {} : { verdict: { action: verdict.action, ...whoDecided(verdict.by) } }),
    outcome,
    ...(code === undefined ? {} : { code }),
    durationMs: Math.round(seen.durationMs * 10) / 10,
    bytesIn: seen.bytesIn,
    bytesOut: seen.bytesOut,
    ...(seen.traceId === undefined ? {} : { traceId: seen.traceId }),
    ...(keep === 'kept' ? argumentsIn(seen) : {}),
  }
}

function keyOf(method: string): string {
  if (method === 'tools/call') return 'tool'
  return method.startsWith('resources/') ? 'uri' : 'name'
}

/** What the client asked for, when no server had it. */
function wantedIn({ method, params }: Seen): object {
  const wanted = params['name'] ?? params['uri']
  return typeof wanted === 'string' ? { [keyOf(method)]: maskText(wanted.slice(0, MAX_TEXT)) } : {}
}

function whoDecided(by: Evidence | undefined): object {
  if (by === undefined) return {}
  if (by.kind !== 'rule') return { by: by.kind }
  const { tool, action, level, by: spot } = by.rule
  const where =
    spot === undefined ? {} : { file: spot.file, ...(spot.line === undefined ? {} : { line: spot.line }) }
  return { by: 'rule', rule: `${action} ${tool}`, level, ...where }
}

/** Limits for one text, and for all texts together. */
const MAX_TEXT = 1000
const MAX_ARGUMENTS = 16_000

function argumentsIn({ params }: Seen): object {
  const { arguments: args, argument } = params
  const given = args ?? argument
  if (given === undefined) return {}
  const masked = mask(given, '')
  const length = JSON.stringify(masked).length
  return { arguments: length > MAX_ARGUMENTS ? `‹${length} characters›` : masked }
}

function mask(value: unknown, name: string): unknown {
  if (isSecretName(name) && value !== null && typeof value !== 'boolean') return SECRET_MARK
  if (typeof value === 'string')
    return value.length > MAX_TEXT ? `${maskText(value.slice(0, MAX_TEXT))}…` : maskText(value)
  if (Array.isArray(value)) return value.map((one) => mask(one, ''))
  if (!isObject(value)) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, mask(one, key)]))
}

function unwritable(file: string): ConstructorParameters<typeof ProblemError>[0] {
  return createProblem({
    code: 'serve/audit',
    message: 'the audit log cannot be written',
    where: { file },
    hints: ['name a file that you may write, in a folder that is one: `--audit <file>`'],
  })
}
