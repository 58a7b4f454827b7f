/**
 * json-fault: what is wrong with a JSON text, in the words of a message.
 */
const FAULTS: Readonly<Record<string, string>> = {
  InvalidSymbol: 'this is not a JSON value',
  InvalidNumberFormat: 'this number is malformed',
  PropertyNameExpected: 'a key in double quotes is expected here',
  ValueExpected: 'a value is expected here',
  ColonExpected: 'a `:` is expected here',
  CommaExpected: 'a `,` is expected here',
  CloseBraceExpected: 'a `}` is missing',
  CloseBracketExpected: 'a `]` is missing',
  EndOfFileExpected: 'the file should have ended here',
  InvalidCommentToken: 'this comment is malformed',
  UnexpectedEndOfComment: 'this comment never ends',
  UnexpectedEndOfString: 'this string never ends',
  UnexpectedEndOfNumber: 'this number is malformed',
  InvalidUnicode: 'this `\\u` escape is malformed',
  InvalidEscapeCharacter: 'this escape is not known in JSON',
  InvalidCharacter: 'a control character is not allowed in a string',
}

/** `code` is the name of the error in `jsonc-parser`; `found` is the text there, `next` the character after it. */
export function describeJsonFault(code: string, found: string, next: string | undefined): string {
  if (found.startsWith("'")) return 'JSON strings take double quotes'
  // The parser reports a key without quotes as an unknown symbol.
  const isKey = code === 'InvalidSymbol' && next === ':'
  return FAULTS[isKey ? 'PropertyNameExpected' : code] ?? 'this is not JSON'
}
