/** same-secret: whether two texts are equal, in a time that does not reveal how much of them is. */
export function isSameSecret(given: string, secret: string): boolean {
  if (secret === '') return false
  let difference = given.length ^ secret.length
  for (let i = 0; i < given.length; i++)
    difference |= given.charCodeAt(i) ^ secret.charCodeAt(i % secret.length)
  return difference === 0
}
