/**
 * yaml-fault: what is wrong with a YAML text, in words for its user.
 *
 * never  repeats what the text says there: it may be a secret that lacks its quotes
 */
export function describeYamlFault({
  code,
  message,
}: {
  readonly code: string
  readonly message: string
}): string {
  return WORDS[code] ?? message.charAt(0).toLowerCase() + message.slice(1).replace(/\.$/, '')
}

/** Where the words of the `yaml` package quote the text, or mislead. */
const WORDS: Readonly<Record<string, string>> = {
  BAD_DQ_ESCAPE: 'this is no escape sequence',
  MULTIPLE_DOCS: 'there is more than one document in it',
  TAG_RESOLVE_FAILED: 'this tag does not fit what it stands before',
  UNEXPECTED_TOKEN:
    'this does not belong here: perhaps a line above is indented wrongly, or lacks its quotes',
}
