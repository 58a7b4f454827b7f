/**
 * add-wizard: the questions that lead to a server, one after the other. It knows no terminal: a host asks the user, and
 * passes the answers on.
 *
 * in     the answers, as texts
 * out    the next question, or the server to add
 * never  shows a value that may be a secret
 */
import { joinCommandWords, parseCommandWords } from '../../base/command-words.ts'
import { unreachable } from '../../base/unreachable.ts'
import { literal } from '../../model/template.ts'
import { maskArgs, maskText } from '../../problem/mask-text.ts'
import { isAddress, type AddRequest, type Pair, type TransportChoice } from './add-wish.ts'
import { isName } from './check-entry.ts'
import { WRITABLE_SCOPES, type WritableScope } from './scope-file.ts'

export type Wizard =
  | { readonly state: 'asking'; readonly step: Step; readonly draft: WizardDraft }
  | {
      readonly state: 'done'
      readonly name: string
      readonly scope: WritableScope
      readonly wish: AddRequest
    }
  | { readonly state: 'cancelled' }

export type Step =
  | 'name'
  | 'kind'
  | 'command'
  | 'variable'
  | 'url'
  | 'transport'
  | 'token'
  | 'header'
  | 'scope'
  | 'confirm'

/** The answers so far. */
export interface WizardDraft {
  readonly name: string
  readonly scope: WritableScope
  readonly wish: AddRequest
}

export type WizardQuestion =
  | { readonly kind: 'text'; readonly text: string; readonly example?: string; readonly isSecret?: true }
  | {
      readonly kind: 'choice'
      readonly text: string
      readonly options: readonly { readonly value: string; readonly label: string; readonly hint?: string }[]
      /** Lines that the host shows before the question. */
      readonly shown?: readonly string[]
    }

const NOTHING: AddRequest = { command: [], env: [], headers: [] }

export function startWizard(): Wizard {
  return { state: 'asking', step: 'name', draft: { name: '', scope: 'user', wish: NOTHING } }
}

type Asking = Extract<Wizard, { state: 'asking' }>

export function questionOf({ step, draft }: Asking): WizardQuestion {
  switch (step) {
    case 'name':
      return { kind: 'text', text: 'What is the server to be called?', example: 'github' }
    case 'kind':
      return { kind: 'choice', text: 'How does one get to it?', options: KINDS }
    case 'command':
      return { kind: 'text', text: 'Which command starts it?', example: 'npx -y @acme/server --root .' }
    case 'variable':
      return {
        kind: 'text',
        text: 'A variable for it, NAME=value (empty: no more)',
        example: 'API_KEY=${API_KEY}',
      }
    case 'url':
      return { kind: 'text', text: 'What is its address?', example: 'https://mcp.example.com/mcp' }
    case 'transport':
      return { kind: 'choice', text: 'Which transport does it speak?', options: TRANSPORT_OPTIONS }
    case 'token':
      return {
        kind: 'text',
        text: 'A token to send to it, or ${NAME} for a variable (empty: none)',
        isSecret: true,
      }
    case 'header':
      return {
        kind: 'text',
        text: 'A header to send to it, Name: value (empty: no more)',
        example: 'X-Team: shop',
      }
    case 'scope':
      return { kind: 'choice', text: 'Who is it for?', options: SCOPE_OPTIONS }
    case 'confirm':
      return { kind: 'choice', text: 'Add it?', options: CONFIRM, shown: summaryOf(draft) }
    default:
      return unreachable(step)
  }
}

/** What is wrong with an answer. Undefined: the answer is accepted. */
export function faultOf({ step }: Asking, answer: string): string | undefined {
  switch (step) {
    case 'name':
      return isName(answer) ? undefined : '1 to 100 letters, digits, _, . and -'
    case 'command':
      return commandFault(answer)
    case 'variable':
      return answer === '' || /^[^=\s]+=/.test(answer) ? undefined : 'write NAME=value'
    case 'url':
      return isAddress(answer) && URL.canParse(answer)
        ? undefined
        : 'an address begins with https:// or http://'
    case 'header':
      return answer === '' || parseHeader(answer) !== undefined ? undefined : 'write Name: value'
    case 'token':
      return undefined
    case 'kind':
    case 'transport':
    case 'scope':
    case 'confirm':
      return undefined
    default:
      return unreachable(step)
  }
}

/** The answer must have no fault. */
export function answerWizard({ step, draft }: Asking, answer: string): Wizard {
  const { wish } = draft
  const ask = (next: Step, more: Partial<AddRequest> = {}): Wizard => ({
    state: 'asking',
    step: next,
    draft: { ...draft, wish: { ...wish, ...more } },
  })
  switch (step) {
    case 'name':
      return { state: 'asking', step: 'kind', draft: { ...draft, name: answer } }
    case 'kind':
      return ask(answer === 'start' ? 'command' : 'url')
    case 'command':
      return ask('variable', { command: wordsOf(answer) })
    case 'variable':
      return answer === '' ? ask('scope') : ask('variable', { env: [...wish.env, pairOf(answer)] })
    case 'url':
      return /^wss?:/i.test(answer)
        ? ask('token', { url: answer, transport: 'ws' })
        : ask('transport', { url: answer })
    case 'transport':
      return ask('token', answer === 'ask' ? {} : { transport: answer as TransportChoice })
    case 'token':
      return ask('header', answer === '' ? {} : { token: answer })
    case 'header':
      return answer === ''
        ? ask('scope')
        : ask('header', { headers: [...wish.headers, parseHeader(answer)!] })
    case 'scope': {
      const scope = WRITABLE_SCOPES.find((one) => one === answer)!
      return { state: 'asking', step: 'confirm', draft: { ...draft, scope } }
    }
    case 'confirm':
      return answer === 'yes' ? { state: 'done', ...draft } : { state: 'cancelled' }
    default:
      return unreachable(step)
  }
}

/** `Name: value`. */
export function parseHeader(text: string): Pair | undefined {
  const [, name, value] = /^([\w!#$%&'*+.^`|~-]+)\s*:\s*(.*)$/s.exec(text.trim()) ?? []
  return name === undefined ? undefined : [name, value!]
}

const KINDS = [
  { value: 'start', label: 'a command starts it', hint: 'on this machine' },
  { value: 'reach', label: 'it has an address', hint: 'it runs elsewhere, or by itself' },
]

const TRANSPORT_OPTIONS = [
  { value: 'ask', label: 'ask it', hint: 'Streamable HTTP, else SSE' },
  { value: 'http', label: 'Streamable HTTP' },
  { value: 'sse', label: 'SSE', hint: 'the older one' },
]

const SCOPE_OPTIONS = [
  { value: 'user', label: 'me', hint: 'in every project' },
  { value: 'local', label: 'me, in this project', hint: 'not in the repository' },
  { value: 'project', label: 'everybody who works on this project', hint: 'in the repository' },
]

const CONFIRM = [
  { value: 'yes', label: 'yes' },
  { value: 'no', label: 'no' },
]

function commandFault(answer: string): string | undefined {
  const parsed = parseCommandWords(answer)
  if (parsed.kind === 'open-quote') return `nothing closes the ${parsed.quote} at character ${parsed.at + 1}`
  return parsed.words.length === 0 || parsed.words[0] === ''
    ? 'write the command and its arguments'
    : undefined
}

function wordsOf(answer: string): readonly string[] {
  const parsed = parseCommandWords(answer)
  return parsed.kind === 'words' ? parsed.words : []
}

function pairOf(answer: string): Pair {
  const at = answer.indexOf('=')
  return [answer.slice(0, at), answer.slice(at + 1)]
}

function summaryOf({ name, scope, wish }: WizardDraft): readonly string[] {
  const { command, url, transport, env, headers, token } = wish
  const names = (pairs: readonly Pair[]): string => pairs.map(([one]) => one).join(', ')
  const rows: readonly (readonly [string, string])[] = [
    ['name', name],
    ['runs', joinCommandWords(maskArgs(command.map(literal)))],
    ['variables', names(env)],
    ['reaches', maskText(url ?? '')],
    ['transport', url === undefined ? '' : (transport ?? 'to be asked')],
    ['headers', names(token === undefined ? headers : [...headers, ['Authorization', token]])],
    ['scope', scope],
  ]
  return rows.filter(([, value]) => value !== '').map(([label, value]) => `${label.padEnd(10)}${value}`)
}
