/** Closes a `switch` over a union: the compiler rejects the call while a case is missing. */
export function unreachable(value: never): never {
  throw new Error(`unreachable: ${JSON.stringify(value)}`)
}
