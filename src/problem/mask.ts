/**
 * mask: a line of somebody's configuration, safe to quote.
 *
 * in     one line of JSON, TOML or YAML, whole or cut, which need not parse
 * out    the same line, same length, with every value that may be a secret drawn as dots
 * never  needs a tree: the line is quoted exactly when the file could not be read as one
 */
export function maskSecrets(line: string): string {
  return line
    .replace(KEY_AND_VALUE, (whole: string, key: string, gap: string, value: string) =>
      HARMLESS_KEYS.has(key.replace(/^["']|["']$/g, '')) ? whole : key + gap + hide(value),
    )
    .replace(FLAG_AND_VALUE, (_, flag: string, value: string) => flag + hide(value))
    .replace(TOKEN_SHAPE, toDots)
    .replace(URL_CREDENTIAL, toDots)
}

function toDots(text: string): string {
  return '•'.repeat(text.length)
}

/** Keys whose values people must see to mend their file; everything else may be an env or header value. */
const HARMLESS_KEYS = new Set([
  'command',
  'cmd',
  'type',
  'transport',
  'cwd',
  'name',
  'description',
  'enabled',
  'disabled',
  'timeout',
  'protocol',
  '$schema',
  'tool',
  'action',
  'serverName',
])

/** `"key": "value"`, `key = 'value'`, `key: value`; the value may lack its closing quote. */
const KEY_AND_VALUE =
  /("[^"]*"|'[^']*'|[\w.-]+)(\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"'[\]{},#][^,\]}]*)/g

/** `"--api-key", "value"` in a list of arguments. */
const FLAG_AND_VALUE =
  /(["']--?[\w-]*(?:key|token|secret|password|auth)[\w-]*["']\s*,\s*)("(?:[^"\\]|\\.)*"?|'[^']*'?)/gi

/** The shapes of well-known credentials, wherever they stand. */
export const TOKEN_SHAPE =
  /\b(?:(?:sk|pk|rk)[-_]|gh[pousr]_|github_pat_|glpat-|xox[abprs]-|npm_|hf_|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]{12,}/gi

/** Credentials inside a URL: `user:password@`, and the values of keys that sound secret. */
const URL_CREDENTIAL =
  /(?<=:\/\/)[^/\s:@]+:[^/\s@]+(?=@)|(?<=[?&](?:[\w-]*(?:key|token|secret|password|auth|sig)[\w-]*)=)[^&\s"']+/gi

function hide(value: string): string {
  const quote = /^["']/.exec(value)?.[0]
  if (quote === undefined)
    return /^(?:true|false|null|-?\d+(?:\.\d+)?)\s*$/.test(value) ? value : toDots(value)
  const isClosed = value.length > 1 && value.endsWith(quote)
  const inner = value.length - (isClosed ? 2 : 1)
  return quote + toDots(value.slice(1, inner + 1)) + (isClosed ? quote : '')
}
