/**
 * mask-text: the text of a definition with `‹secret›` in place of everything that may be a secret.
 *
 * in     a template; references are names, not values, so they are kept
 * out    text for screens and `--json`
 * never  shows a literal from a place where users keep secrets, however harmless it looks
 */
import { SECRET_MARK } from '../base/secret.ts'
import { showTemplate, type Reference, type Template } from '../model/template.ts'
import { RANDOM_SEGMENT, TOKEN_SHAPE } from './mask.ts'

/** A value that always counts as secret: of `env`, a client secret, a token. */
export function maskValue(template: Template): string {
  return showTemplate(hideInValue(template))
}

/** The value of a header: the word `Bearer` may stay before a reference. */
export function maskHeader(template: Template): string {
  return showTemplate(hideInHeader(template))
}

/** A URL, command line or path: only text that looks like a secret is hidden. */
export function maskTemplate(template: Template): string {
  return showTemplate(hideInText(template))
}

export function maskArgs(args: readonly Template[]): string[] {
  return hideInArgs(args).map(showTemplate)
}

/** These four work like the ones above, and keep references as references. */
export function hideInValue(template: Template): Template {
  return aroundReferences(template, hide)
}

export function hideInHeader(template: Template): Template {
  return aroundReferences(template, (text) => (text.includes(HOLE) ? hideCredential(text) : hide(text)))
}

export function hideInText(template: Template): Template {
  return aroundReferences(template, maskText)
}

export function hideInArgs(args: readonly Template[]): Template[] {
  let before = ''
  return args.map((arg) =>
    aroundReferences(arg, (text) => {
      const masked = takesValue(before) && !isFlag(text) ? maskValueOf(before, text) : maskArgument(text)
      before = text
      return masked
    }),
  )
}

/** Free text: well-known tokens, credentials in URLs, and values that follow a name such as `--api-key`. */
export function maskText(text: string): string {
  return text
    .replace(USERINFO, (_, user: string) => hideUser(user))
    .replace(QUERY, hideNamed)
    .replace(JSON_MEMBER, hideNamed)
    .replace(HEADER_LINE, (whole: string, start: string, name: string, value: string) =>
      isSecretName(name) ? start + hideCredential(value) : whole,
    )
    .replace(FLAG_OR_ASSIGNMENT, hideNamed)
    .replace(CREDENTIAL, (_, scheme: string, value: string) => scheme + hide(value))
    .replace(TOKEN_SHAPE, hide)
    .replace(ADDRESS, (address) => address.replace(RANDOM_SEGMENT, hide))
}

const ADDRESS = /\b\w+:\/\/[^\s"']+/g

/** Everything up to the last `@` of the authority: passwords may contain an `@`, too. */
const USERINFO = /(?<=:\/\/)([^/?#\s"']*)(?=@)/g

const QUERY = /([?&#;]([^=?&#;\s"']+)=)([^&#\s"']+)/g

const JSON_MEMBER = /(["']([\w.-]+)["']\s*:\s*["'])((?:[^"'\\]|\\.)+)/g

const HEADER_LINE = /((?:^|["'\s])([\w-]+):\s*)([^"']+)/g

/**
 * `Bearer x` without a name before it. In a sentence (`basic authentication`), the next word has no digit, and an end.
 */
const CREDENTIAL = /\b((?:basic|bearer|dpop)\s+)(?=[\w.~+/=-]*\d|[\w.~+/=-]{24})([\w.~+/=-]{6,})/gi

/** `--token x`, `--token=x`, `"--token", "x"` in a list, `TOKEN=x`. */
const FLAG_OR_ASSIGNMENT =
  /((?:^|["'\s])(?:(?=-)(--?[A-Za-z][\w.-]*)(?:=|\s+|["'],\s*["'])(?!-)|(?!-)([A-Za-z_]\w*)=))("[^"]*"|'[^']*'|[^\s"']+)/g

/** For patterns that capture the text before the value, the name (in one of two groups), and the value. */
function hideNamed(
  whole: string,
  start: string,
  ...groups: readonly (string | number | undefined)[]
): string {
  const [name, value] = groups.filter((group) => typeof group === 'string')
  return isSecretName(name!) ? start + hide(value!) : whole
}

function hideUser(user: string): string {
  const colon = user.indexOf(':')
  return colon === -1 ? hide(user) : user.slice(0, colon + 1) + hide(user.slice(colon + 1))
}

function maskArgument(text: string): string {
  const [, flag, value] = /^(--?[^=\s]+)=(.*)$/s.exec(text) ?? []
  if (flag !== undefined && takesValue(flag)) return `${flag}=${maskValueOf(flag, value!)}`
  const [, name, assigned] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? []
  if (name !== undefined && isSecretName(name)) return `${name}=${hide(assigned!)}`
  return maskText(text)
}

const ENV_FLAGS = new Set(['-e', '-E', '--env'])
const HEADER_FLAGS = new Set(['-H', '--header', '--headers'])

/** The next argument is the value of this flag, and must be hidden. */
function takesValue(flag: string): boolean {
  return ENV_FLAGS.has(flag) || HEADER_FLAGS.has(flag) || (/^--?[^=\s]+$/.test(flag) && isSecretName(flag))
}

function maskValueOf(flag: string, value: string): string {
  if (ENV_FLAGS.has(flag)) return value.replace(/(?<==).*$/s, hide)
  if (HEADER_FLAGS.has(flag)) return value.replace(/^([^:=]+[:=]\s*)?(.*)$/s, hideHeaderLine)
  return hide(value)
}

function hideHeaderLine(_: string, start: string | undefined, value: string): string {
  return (start ?? '') + hideCredential(value)
}

/** `--token --verbose`: the second is a flag, not the token. */
function isFlag(text: string): boolean {
  return /^--[A-Za-z]|^-[A-Za-z]$/.test(text)
}

/** Whether a value with this name is likely a secret: `apiKey`, `--access-token`, `sig`. */
export function isSecretName(name: string): boolean {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  if (/^(?:no|without|disable|skip)$/i.test(words[0] ?? '')) return false
  if (/^(?:file|path|dir|type|url|env)$/i.test(words.at(-1) ?? '')) return false
  return words.some((word) => SECRET_WORD.test(word))
}

const SECRET_WORD =
  /^(?:auth|authorization|bearer|code|cookie|credentials?|jwt|pass|passwd|passphrase|pat|pwd|sig|signature)$|(?:keys?|tokens?|secrets?|passwords?)$/i

/** The schemes of an Authorization header. Any other first word may itself be the secret. */
const SCHEME = /^((?:basic|bearer|digest|dpop|key|negotiate|token|api-?key)\s+)?(.*)$/is

function hideCredential(text: string): string {
  return text.replace(SCHEME, (_, scheme: string | undefined, rest: string) => (scheme ?? '') + hide(rest))
}

/** Replaces every literal in a text by the mark; references and blanks stay. */
function hide(text: string): string {
  return text.replace(LITERALS, (run) => (run.trim() === '' ? run : SECRET_MARK))
}

/** Replaces a reference while the text around it is masked. It is a noncharacter, so no file uses it. */
const HOLE = '\ufdd0'
const LITERALS = /[^\ufdd0]+/g

/** Masks a template as one text, so that a rule sees `?key=` even when a reference stands before it. */
function aroundReferences(template: Template, mask: (text: string) => string): Template {
  const references = template.filter((part) => typeof part !== 'string').map(maskReference)
  const text = template
    .map((part) => (typeof part === 'string' ? part.replaceAll(HOLE, '\ufffd') : HOLE))
    .join('')
  return mask(text)
    .split(HOLE)
    .flatMap((part, i) => (i === 0 ? [part] : [references[i - 1]!, part]))
    .filter((part) => part !== '')
}

/** The name of a variable is no secret. Its default, or code, may be one. */
function maskReference(reference: Reference): Reference {
  if (reference.kind === 'command') return { ...reference, text: SECRET_MARK }
  if (reference.kind === 'nested') return { kind: 'env', name: reference.name, fallback: SECRET_MARK }
  const hasFallback = reference.kind === 'env' && (reference.fallback ?? '') !== ''
  return hasFallback ? { ...reference, fallback: SECRET_MARK } : reference
}
