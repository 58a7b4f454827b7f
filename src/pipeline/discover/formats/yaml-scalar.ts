/**
 * yaml-scalar: what an unquoted scalar means in YAML 1.2's core schema.
 */
export function toYamlScalar(written: string): string | number | boolean | null {
  const constant = CONSTANTS.get(written)
  if (constant !== undefined) return constant
  return NUMBER.test(written) ? Number(written) : written
}

const CONSTANTS: ReadonlyMap<string, number | boolean | null> = new Map<string, number | boolean | null>([
  ...withValue(null, ['', '~', 'null', 'Null', 'NULL']),
  ...withValue(true, ['true', 'True', 'TRUE']),
  ...withValue(false, ['false', 'False', 'FALSE']),
  ...withValue(Number.NaN, ['.nan', '.NaN', '.NAN']),
  ...withValue(Infinity, ['.inf', '.Inf', '.INF', '+.inf', '+.Inf', '+.INF']),
  ...withValue(-Infinity, ['-.inf', '-.Inf', '-.INF']),
])

const NUMBER = /^(?:[-+]?(?:\.\d+|\d+(?:\.\d*)?)(?:[eE][-+]?\d+)?|0o[0-7]+|0x[\da-fA-F]+)$/

function withValue<Value>(value: Value, words: readonly string[]): readonly (readonly [string, Value])[] {
  return words.map((word) => [word, value])
}
