/**
 * write-entry: writes a server as an agent's entry, and lists what the format cannot express.
 *
 * in     a definition, whether it is on, and the writer of the agent's dialect
 * out    the entry; every field that the format lacks, or expresses otherwise, is listed
 * never  writes a command that computes a value into a file whose agent would use the command itself as the value
 */
import type { ServerDefinition, TemplateMap, Transport } from '../model/definition.ts'
import type { ObjectValue } from './change.ts'
import { isCommand, toFacts, type FactName, type Facts } from './dialects/facts.ts'
import {
  createSheet,
  putPlainly,
  type Pen,
  type Put,
  type ServerKind,
  type Unsaid,
  type Writer,
} from './dialects/writer.ts'

export type Written =
  | { readonly kind: 'written'; readonly entry: ObjectValue; readonly unsaid: readonly Unsaid[] }
  /** The agent has no servers of this kind. */
  | { readonly kind: 'impossible'; readonly serverKind: ServerKind }

export interface ServerToWrite {
  readonly definition: ServerDefinition
  readonly power: 'on' | 'off'
}

export function writeEntry({ definition, power }: ServerToWrite, writer: Writer): Written {
  const kind = kindOfServer(definition.transport)
  const word = writer.types[kind]
  if (word === undefined) return { kind: 'impossible', serverKind: kind }
  const facts: Facts = { ...toFacts(definition, power), type: word ?? undefined }
  const { pen, entry, unsaid } = createSheet({ server: definition.name, kind, facts }, writer.spelling)
  if (kind === 'auto' && !writer.fallsBack) pen.unsay('type', 'does not try SSE where HTTP fails')
  const said = writer.values === 'literal' ? withoutCommands(pen, definition) : facts
  const used: Pen = { ...pen, facts: said }
  writer.begin?.(used)
  for (const name of Object.keys(writer.rows) as FactName[]) putRow(used, writer, name)
  for (const name of Object.keys(said) as FactName[]) {
    const isLost = said[name] !== undefined && writer.rows[name] === undefined
    // Only an agent that resolves values needs the mark that says they are literal.
    if (isLost && !(name === 'values' && writer.values === 'literal')) pen.unsay(name)
  }
  return { kind: 'written', entry, unsaid }
}

export function kindOfServer(transport: Transport): ServerKind {
  const mayTurnOut = transport.type === 'http' && transport.fallback === 'sse'
  return mayTurnOut ? 'auto' : transport.type
}

function putRow<K extends FactName>(pen: Pen, { rows }: Writer, name: K): void {
  const row = rows[name] as string | Put<K> | undefined
  const value = pen.facts[name]
  if (row === undefined || value === undefined) return
  if (typeof row === 'string') putPlainly(pen, name, row)
  else row(pen, value)
}

/** Where values are resolved, `!cmd` is a command; elsewhere the agent would send its text. */
function withoutCommands(pen: Pen, { values }: ServerDefinition): Facts {
  if (values === 'literal') return pen.facts
  const kept = (name: 'env' | 'headers'): TemplateMap | undefined => {
    const map = pen.facts[name]
    if (map === undefined) return undefined
    const commands = [...map].filter(([, value]) => isCommand(value))
    for (const [key] of commands) pen.unsay(`${name}.${key}`, 'runs no commands for values')
    const others = new Map([...map].filter(([, value]) => !isCommand(value)))
    return others.size === 0 ? undefined : others
  }
  return { ...pen.facts, env: kept('env'), headers: kept('headers') }
}
