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
    .replace(TOKEN, (token) => '•'.repeat(token.length))
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

/** The shapes of well-known credentials, wherever they stand (an argument, a URL). */
export const TOKEN =
  /\b(?:sk|pk|rk|gh[pousr]|github_pat|glpat|xox[abprs]|npm|hf|AKIA|ASIA|AIza|eyJ)[-_A-Za-z0-9.]{12,}|(?<=:\/\/)[^/\s:@]+:[^/\s@]+(?=@)|(?<=[?&](?:[\w-]*(?:key|token|secret|password|auth|sig)[\w-]*)=)[^&\s"']+/gi

function hide(value: string): string {
  const quote = /^["']/.exec(value)?.[0]
  if (quote === undefined)
    return /^(?:true|false|null|-?\d+(?:\.\d+)?)\s*$/.test(value) ? value : '•'.repeat(value.length)
  const isClosed = value.length > 1 && value.endsWith(quote)
  const inner = value.length - (isClosed ? 2 : 1)
  return quote + '•'.repeat(inner) + (isClosed ? quote : '')
}
