/**
 * mask: a line of somebody's configuration, safe to quote.
 *
 * in     one line of JSON, TOML or YAML from its beginning, where in it a parser gave up, if one did, and how much is needed
 * out    the same line, same length: keys, punctuation and what is known to be harmless; dots for the rest
 * never  needs a tree, since the line is quoted exactly when the file could not be read as one; goes over a part of
 *        the line twice, since lines can be long
 */
export function maskSecrets(line: string, faultAt = Infinity, needed = line.length): string {
  const header = /^\s*\[{1,2}mcp_servers\b[^\]#]*\]{1,2}\s*$/.exec(line)
  return header === null ? mask(line, faultAt, needed) : line
}

/** What is known at one point of the line. */
interface Reading {
  /** Whose value comes next. */
  key: string | undefined
  /** The keys of the lists and objects that are open here. */
  readonly open: (string | undefined)[]
  /** Nothing before it, or a bracket or comma: what comes may be a key without quotes. */
  isKeyNext: boolean
  /** The item before this one in its list. */
  before: string
}

/** White space; a string, closed or not; a bracket; a separator; anything else. */
const TOKEN = /\s+|"(?:[^"\\]|\\.)*(?:"|$)|'[^']*(?:'|$)|[[\]{},:=]|[^\s"'[\]{},:=]+|./gsy

/** The longest white space between a key and its `:` that is looked across. */
const LOOK_AHEAD = 40

/** At least the part that is needed; what it looks like depends on what follows it, too. */
function mask(line: string, faultAt: number, needed: number): string {
  const at: Reading = { key: undefined, open: [], isKeyNext: true, before: '' }
  const tokens = new RegExp(TOKEN)
  let masked = ''
  while (masked.length < Math.min(line.length, needed)) {
    const start = masked.length
    // Behind a fault, a quote may open what it should close: nothing is what it seems.
    if (start > faultAt) return masked + hideWords(line.slice(start))
    tokens.lastIndex = start
    const [token] = tokens.exec(line)!
    // A value without quotes may hold blanks, colons and equals signs; it ends where the next one could begin.
    const isBareValue = start !== faultAt && at.key !== undefined && /^[^\s"'[\]{},:=]/.test(token)
    const whole = isBareValue ? /^[^,\]}#]+/.exec(line.slice(start))![0] : token
    const end = start + whole.length
    // A word may be shown that is itself the fault; a string may not, since it may not be one.
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

/** The token as it may be shown; and what it says about the next one is noted. */
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

/** The name before a `:` or `=`. A word without quotes must stand where a key can, or base64 would pass for one. */
function toKey({ isKeyNext }: Reading, token: string, after: string): string | undefined {
  if (/^["']/.test(token)) {
    const isKey = /^\s*:/.test(after) || (isKeyNext && /^\s*=/.test(after))
    return isKey ? unquote(token) : undefined
  }
  const isKey = isKeyNext && /^(?:\s*:(?=[\s"'[{]|$)|\s*=\s*[^\s=])/.test(after)
  return isKey ? token : undefined
}

/** Keys whose values people must see to mend their file; every other one may be that of a variable or header. */
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

/** Lists of words that are shown as far as they are no secrets. */
const ARGUMENT_LISTS = new Set<string | undefined>(['command', 'args'])

/** Nothing that must be seen to mend a file is longer. */
const LONGEST_SHOWN = 500

/** Keys whose values are shown as far as the path, when they are what the key says. */
const URL_KEYS = /^(?:url|uri|serverUrl|httpUrl)$/

function showValue({ key, open, before }: Reading, token: string): string {
  const isOpen = /^["']/.test(token) && !isClosed(token)
  if (isOpen || token.length > LONGEST_SHOWN) return hide(token)
  // `env TOKEN=… npx`: people write whole command lines where the program belongs.
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

/** A part of a URL's path that nobody thought up: some services put the key there. */
export const RANDOM_SEGMENT = /(?<=\/)(?=[\w-]*\d)(?=[\w-]*[A-Za-z])[\w-]{20,}(?=[/?#"']|$)/g

function isPlain(word: string): boolean {
  return /^(?:true|false|null|-?\d{1,9}(?:\.\d{1,9})?)\s*$/.test(word)
}

/** Words of every agent's files, which are no secret wherever they stand. */
function isKnown(word: string): boolean {
  return HARMLESS_KEYS.has(word) || ARGUMENT_LISTS.has(word) || URL_KEYS.test(word) || OTHER_KEYS.test(word)
}

const OTHER_KEYS =
  /^(?:mcpServers|mcp_servers|servers|mcp|extensions|env|envs|environment|headers|oauth|description)$/

const TAKES_SECRET =
  /^--?(?:[\w-]*(?:key|token|secret|password|passwd|auth|credential)[\w-]*|e|E|H|env|headers?)$/i

/** Without what follows a flag such as `--token`, or a `=` or `:` in the same word. */
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

/** The shapes of well-known credentials, wherever they stand. */
export const TOKEN_SHAPE =
  /\b(?:(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]{12,}/gi

/** Credentials inside a URL: whatever stands before an `@`, and the values of keys that sound secret. */
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

/** The name of a variable is no secret, and mostly what a problem is about. */
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
