/**
 * elicit: shows the user a server's question during a call: a form to fill in, or a page to visit.
 *
 * in     the server's question, with its own texts and schema
 * out    `accept` with the values, `decline`, or `cancel`, as in the protocol
 * never  opens a page before its user has seen the address, or an address that is no web page
 */
import { isConfidential } from '../../base/confidential.ts'
import { isObject } from '../../base/is-object.ts'
import { toPrintable } from '../../base/printable.ts'
import type { Params, Result } from '../../model/message.ts'
import type { ElicitAnswerers, HandlerContext } from '../../model/session.ts'
import type { Browser, Choice } from '../../world/world.ts'
import type { Paint } from '../shared/paint.ts'
import { wrap } from '../shared/wrap.ts'
import type { Ask, FormField } from './questions.ts'

export interface ElicitContext {
  readonly ask: Ask
  readonly paint: Paint
  readonly browser: Browser
  columns(): number
  note(text: string): void
}

export function createElicitAnswerers(desk: ElicitContext): ElicitAnswerers {
  return {
    form: (params, context) => askForm(desk, params, context),
    url: (params, context) => askPage(desk, params, context),
  }
}

async function askForm(
  desk: ElicitContext,
  params: Params,
  { server, signal }: HandlerContext,
): Promise<Result> {
  const fields = fieldsOf(params['requestedSchema'])
  const answer = await desk.ask(
    {
      kind: 'form',
      title: 'Your answer',
      lines: [
        desk.paint.bold(`${toPrintable(server)} asks:`),
        ...messageLines(desk, params),
        desk.paint.dim('give it no secrets: it asks for facts, and not for passwords'),
      ],
      fields,
      decline: 'decline',
    },
    { signal },
  )
  if (answer === undefined) return { action: 'cancel' }
  return answer === 'declined' ? { action: 'decline' } : { action: 'accept', content: answer }
}

async function askPage(
  desk: ElicitContext,
  params: Params,
  { server, signal, completed }: HandlerContext,
): Promise<Result> {
  const url = String(params['url'])
  if (!isPage(url)) {
    desk.note(`${toPrintable(server)} wanted ${toPrintable(url)} opened: declined, since it is no https page`)
    return { action: 'decline' }
  }
  const answer = await desk.ask(
    {
      kind: 'choice',
      title: `${server} wants you to visit a page`,
      lines: [
        ...messageLines(desk, params),
        ...wrap(toPrintable(url), desk.columns() - 1),
        `host: ${toPrintable(hostOf(url))}`,
      ],
      options: [
        { value: 'open', label: 'open it in the browser' },
        { value: 'been', label: 'go on: I was there' },
        { value: 'decline', label: 'no' },
      ],
    },
    { signal },
  )
  if (answer === undefined) return { action: 'cancel' }
  if (answer === 'decline') return { action: 'decline' }
  if (answer === 'open') await visit(desk, url, { signal, completed })
  return { action: 'accept' }
}

/** Waits until the server or the user says that it is done. */
async function visit(
  desk: ElicitContext,
  url: string,
  { signal, completed }: Pick<HandlerContext, 'signal' | 'completed'>,
): Promise<void> {
  const outcome = await desk.browser.open(url)
  if (outcome.kind === 'no-opener') desk.note(`there is no browser here: open ${url} yourself`)
  const over = new AbortController()
  void completed?.then(() => over.abort())
  await desk.ask(
    { kind: 'choice', title: 'Are you done there?', options: [{ value: 'done', label: 'go on' }] },
    { signal: AbortSignal.any([signal, over.signal]), place: 'next' },
  )
}

function messageLines({ columns }: ElicitContext, { message }: Params): readonly string[] {
  const text = typeof message === 'string' ? message : ''
  return text.split('\n').flatMap((line) => wrap(toPrintable(line), columns() - 1))
}

/** A browser opens any address: `file:`, a path, the handler of some program. */
function isPage(url: string): boolean {
  if (!URL.canParse(url)) return false
  const page = new URL(url)
  return /^https?:$/.test(page.protocol) && isConfidential(page)
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : url
}

/** As in the protocol: a flat list of texts, numbers, booleans and choices. The user types any other type as text. */
export function fieldsOf(schema: unknown): readonly FormField[] {
  const { properties, required } = isObject(schema) ? schema : {}
  if (!isObject(properties)) return []
  const needed = Array.isArray(required) ? required : []
  return Object.entries(properties).map(([name, property]) =>
    toField(name, isObject(property) ? property : {}, needed.includes(name)),
  )
}

type Schema = Readonly<Record<string, unknown>>

function toField(name: string, schema: Schema, isRequired: boolean): FormField {
  const { title, description } = schema
  return {
    name,
    label: typeof title === 'string' ? title : name,
    ...(typeof description === 'string' ? { description } : {}),
    isRequired,
    input: toInput(schema),
  }
}

function toInput(schema: Schema): FormField['input'] {
  const { type, default: initial, items, minItems, maxItems } = schema
  if (type === 'boolean') return { kind: 'switch', ...(typeof initial === 'boolean' ? { initial } : {}) }
  if (type === 'array' && isObject(items)) {
    return {
      kind: 'choices',
      options: choicesOf(items),
      ...(Array.isArray(initial) ? { initial: initial.filter((one) => typeof one === 'string') } : {}),
      ...(typeof minItems === 'number' ? { min: minItems } : {}),
      ...(typeof maxItems === 'number' ? { max: maxItems } : {}),
    }
  }
  const options = choicesOf(schema)
  if (options.length > 0)
    return { kind: 'choice', options, ...(typeof initial === 'string' ? { initial } : {}) }
  const typed = typeof initial === 'string' || typeof initial === 'number' ? { initial: String(initial) } : {}
  return { kind: 'text', ...typed, read: (text) => readTyped(schema, text) }
}

/** `enum` with or without `enumNames`, `oneOf` and `anyOf` with titles. */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: Schema): readonly Choice<string>[] {
  if (Array.isArray(values)) {
    const labels: readonly unknown[] = Array.isArray(enumNames) ? enumNames : []
    return values.map((value, i) => ({ value: String(value), label: String(labels[i] ?? value) }))
  }
  const titled: readonly unknown[] = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : []
  return titled.filter(isObject).map(({ const: value, title }) => ({
    value: String(value),
    label: String(title ?? value),
  }))
}

type Read = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly why: string }

function readTyped(schema: Schema, text: string): Read {
  const { type } = schema
  return type === 'number' || type === 'integer' ? readNumber(schema, text) : readText(schema, text)
}

function readNumber({ type, minimum, maximum }: Schema, text: string): Read {
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value)) return no('this must be a number')
  if (type === 'integer' && !Number.isInteger(value)) return no('this must be a whole number')
  if (typeof minimum === 'number' && value < minimum) return no(`this must be ${minimum} or more`)
  if (typeof maximum === 'number' && value > maximum) return no(`this must be ${maximum} or less`)
  return { ok: true, value }
}

const FORMATS: Readonly<Record<string, readonly [RegExp, string]>> = {
  email: [/^[^\s@]+@[^\s@]+$/, 'an e-mail address'],
  uri: [/^[a-z][a-z0-9+.-]*:\S+$/i, 'an address such as https://example.com'],
  date: [/^\d{4}-\d\d-\d\d$/, 'a date such as 2026-01-31'],
  'date-time': [/^\d{4}-\d\d-\d\dT\d\d:\d\d/, 'a time such as 2026-01-31T12:00:00Z'],
}

function readText({ minLength, maxLength, format }: Schema, text: string): Read {
  const { length } = [...text]
  if (typeof minLength === 'number' && length < minLength) return no(`at least ${minLength} characters`)
  if (typeof maxLength === 'number' && length > maxLength) return no(`no more than ${maxLength} characters`)
  const known = typeof format === 'string' && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined
  if (known !== undefined && !known[0].test(text)) return no(`this must be ${known[1]}`)
  return { ok: true, value: text }
}

function no(why: string): Read {
  return { ok: false, why }
}
