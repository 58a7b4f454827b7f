/**
 * yaml-fault: what is wrong with a YAML text, in words for its user.
 *
 * never  repeats the text of the file: it may be a secret without its quotes
 */
export function describeYamlFault({ code, message }: YamlFault): string {
  if (STATIC.has(code)) return message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '')
  return WORDS[code] ?? 'this is no YAML'
}

/** An error of the `yaml` package. */
interface YamlFault {
  readonly code: string
  readonly message: string
}

/** Codes whose messages never quote the text. */
const STATIC: ReadonlySet<string> = new Set([
  'ALIAS_PROPS',
  'BAD_ALIAS',
  'BAD_PROP_ORDER',
  'BAD_SCALAR_START',
  'BLOCK_AS_IMPLICIT_KEY',
  'BLOCK_IN_FLOW',
  'KEY_OVER_1024_CHARS',
  'MISSING_CHAR',
  'MULTILINE_IMPLICIT_KEY',
  'MULTIPLE_ANCHORS',
  'MULTIPLE_TAGS',
])

const WORDS: Readonly<Record<string, string>> = {
  BAD_DIRECTIVE: 'this is no directive',
  BAD_INDENT: 'a quote or bracket above is not closed, or this line is indented too little',
  BAD_DQ_ESCAPE: 'this is no escape sequence',
  MULTIPLE_DOCS: 'there is more than one document in it',
  TAB_AS_INDENT: 'tab characters must not be used in indentation',
  TAG_RESOLVE_FAILED: 'this tag does not fit what it stands before',
  UNEXPECTED_TOKEN:
    'this does not belong here: perhaps a line above is indented wrongly, or lacks its quotes',
}
