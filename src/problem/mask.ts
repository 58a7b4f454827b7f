/**
 * mask: makes a line of a user's configuration safe to quote.
 *
 * in     one line of JSON, TOML or YAML from its beginning, the position where a parser failed, if one did, and how
 *        much is needed
 * out    the same line, with the same length: keys, punctuation and harmless words, and dots for the rest
 * never  needs a tree, since the line is quoted exactly when the file could not be parsed; reads a part of the line
 *        twice, since lines can be long
 */
export function maskSecrets(line: string, faultAt = Infinity, needed = line.length): string {
  const header = /^\s*\[{1,2}mcp_servers\b[^\]#]*\]{1,2}\s*$/.exec(line)
  return header === null ? mask(line, faultAt, needed) : line
}

/** What is known at one position of the line. */
interface Reading {
  /** The key whose value comes next. */
  key: string | undefined
  /** The keys of the lists and objects that are open here. */
  readonly open: (string | undefined)[]
  /** Nothing comes before, or a bracket or comma: a key without quotes may follow. */
  isKeyNext: boolean
  /** The previous item in its list. */
  before: string
}

/** White space; a string, closed or not; a bracket; a separator; anything else. */
const TOKEN = /\s+|"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|[[\]{},:=]|[^\s"'[\]{},:=]+|./gsy

/** The longest white space between a key and its `:` that is skipped. */
const LOOK_AHEAD = 40

/** Masks at least the part that is needed. How it is masked also depends on the text after it. */
function mask(line: string, faultAt: number, needed: number): string {
  const at: Reading = { key: undefined, open: [], isKeyNext: true, before: '' }
  const tokens = new RegExp(TOKEN)
  let masked = ''
  while (masked.length < Math.min(line.length, needed)) {
    const start = masked.length
    // After a fault, a quote may open where it should close: every word is hidden.
    if (start > faultAt) return masked + hideWords(line.slice(start))
    tokens.lastIndex = start
    const [token] = tokens.exec(line)!
    // A value without quotes may contain blanks, colons and equals signs. It ends where the next value could begin.
    const isBareValue = start !== faultAt && at.key !== undefined && /^[^\s"'[\]{},:=]/.test(token)
    const whole = isBareValue ? /^[^,\]}#]+/.exec(line.slice(start))![0] : token
    const end = start + whole.length
    // A word that is itself the fault may be shown. A string may not, since its quotes may be wrong.
    const isTorn = faultAt < end && (start < faultAt || /^["']/.test(whole))
    const after = line.slice(end, Math.min(end + LOOK_AHEAD, faultAt))
    const isFault = start === faultAt && isKnown(whole)
    masked += isTorn || isFault ? hideWords(whole) : read(at, whole, after)
  }
  return masked
}

function hideWords(text: string): string {
  return text.replace(/[^\s"'[\]{},:=]+/g, (word) => (isKnown(word) || isPlain(word) ? word : toDots(word)))
}

/** Returns the token in its safe form, and notes what it says about the next one. */
function read(at: Reading, token: string, after: string): string {
  if (/^(?:\s+|[:=]|[-?])$/.test(token)) return token
  if (/^[[\]{},]$/.test(token)) {
    if (token === '[' || token === '{') at.open.push(token === '[' ? at.key : undefined)
    else if (token !== ',') at.open.pop()
    at.key = undefined
    at.isKeyNext = token !== ']' && token !== '}'
    return token
  }
  const key = toKey(at, token, after)
  const shown = key === undefined ? showValue(at, token) : token
  at.key = key
  at.isKeyNext = false
  at.before = unquote(token)
  return shown
}

/**
 * The name before a `:` or `=`. A word without quotes must be where a key can be: otherwise base64 would count as a
 * key.
 */
function toKey({ isKeyNext }: Reading, token: string, after: string): string | undefined {
  if (/^["']/.test(token)) {
    const isKey = /^\s*:/.test(after) || (isKeyNext && /^\s*=/.test(after))
    return isKey ? unquote(token) : undefined
  }
  const isKey = isKeyNext && /^(?:\s*:(?=[\s"'[{]|$)|\s*=\s*[^\s=])/.test(after)
  return isKey ? token : undefined
}

/** Keys whose values users must see to fix their file. Any other key may be that of a variable or header. */
const HARMLESS_KEYS = new Set([
  'command',
  'cmd',
  'type',
  'transport',
  'cwd',
  'name',
  'enabled',
  'disabled',
  'timeout',
  'protocol',
  '$schema',
  'tool',
  'action',
  'serverName',
])

/** Lists of words that are shown, except for secrets. */
const ARGUMENT_LISTS = new Set<string | undefined>(['command', 'args'])

/** No word that a user needs to fix a file is longer. */
const LONGEST_SHOWN = 500

/** Keys whose values are shown up to the path, when they are URLs. */
const URL_KEYS = /^(?:url|uri|serverUrl|httpUrl)$/

function showValue({ key, open, before }: Reading, token: string): string {
  const isOpen = /^["']/.test(token) && !isClosed(token)
  if (isOpen || token.length > LONGEST_SHOWN) return hide(token)
  // `env TOKEN=… npx`: users write whole command lines where the program belongs.
  if (isPlain(token) || (key !== undefined && HARMLESS_KEYS.has(key))) {
    return hideCredentials(token.replace(/(?<=\w=)[^\s"']+/g, toDots))
  }
  if (key !== undefined && URL_KEYS.test(key) && /^["']?(?:https?|wss?):\/\//.test(token)) {
    return hideCredentials(token.replace(/(?<=[?#])[^"']+/, toDots).replace(RANDOM_SEGMENT, toDots))
  }
  if (key === undefined && ARGUMENT_LISTS.has(open.at(-1)) && /^["']/.test(token))
    return showArgument(token, before)
  return hide(token)
}

/** A random part of a URL's path: some services put the key there. */
export const RANDOM_SEGMENT = /(?<=\/)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?=[/?#"']|$)/g

function isPlain(word: string): boolean {
  return /^(?:true|false|null|-?\d{1,9}(?:\.\d{1,9})?)\s*$/.test(word)
}

/** Words of the agents' files that are never secret. */
function isKnown(word: string): boolean {
  return HARMLESS_KEYS.has(word) || ARGUMENT_LISTS.has(word) || URL_KEYS.test(word) || OTHER_KEYS.test(word)
}

const OTHER_KEYS =
  /^(?:mcpServers|mcp_servers|servers|mcp|extensions|env|envs|environment|headers|oauth|description)$/

const TAKES_SECRET =
  /^--?(?:[\w-]*(?:key|token|secret|password|passwd|auth|credential)[\w-]*|e|E|H|env|headers?)$/i

/** Without the value of a flag such as `--token`, or after a `=` or `:` in the same word. */
function showArgument(token: string, before: string): string {
  if (TAKES_SECRET.test(before)) return hide(token)
  return hideCredentials(token.replace(/(?<==|:\s)[^"']+/g, toDots))
}

function hideCredentials(text: string): string {
  return text
    .replace(FLAG_AND_VALUE, (_, flag: string, value: string) => flag + toDots(value))
    .replace(TOKEN_SHAPE, toDots)
    .replace(URL_CREDENTIAL, toDots)
}

/** `--api-key value` in a command line. */
const FLAG_AND_VALUE =
  /(--?[\w-]*(?:key|token|secret|password|passwd|auth|credential)[\w-]*(?:=|\s+))([^\s"']+)/gi

/** The forms of well-known credentials, in any place. */
export const TOKEN_SHAPE =
  /\b(?:(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]{12,}/gi

/** Credentials inside a URL: everything before an `@`, and the values of keys that sound secret. */
const URL_CREDENTIAL =
  /(?<=:\/\/)[^/\s"']+(?=@)|(?<=[?&](?:[\w-]*(?:key|token|secret|password|auth|sig)[\w-]*)=)[^&\s"']+/gi

function hide(token: string): string {
  const quote = /^["']/.exec(token)?.[0] ?? ''
  const end = isClosed(token) ? quote : ''
  return quote + hideLiterals(token.slice(quote.length, token.length - end.length)) + end
}

function isClosed(token: string): boolean {
  return token.length > 1 && /^(["']).*\1$/s.test(token)
}

/** The name of a variable is no secret, and the problem is often about it. */
function hideLiterals(text: string): string {
  return text.replace(
    /(\$\{(?:env:)?[A-Za-z_]\w*\}|\{env:[A-Za-z_]\w*\})|\S/g,
    (one, name) => name ?? toDots(one),
  )
}

function unquote(token: string): string {
  return token.replace(/^["']|["']$/g, '')
}

function toDots(text: string): string {
  return '•'.repeat(text.length)
}
