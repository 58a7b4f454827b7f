/**
 * sha256: the hash that names folders and binds approvals, in hex.
 *
 * This is the only file outside of `world/node` that uses a module of Node. A hash is the same on every platform, so no
 * test has to replace it. Passing it through the world would give a parameter to every pure function above a
 * fingerprint. Node's module is loaded with the first hash: it takes 2 ms, and `--version` needs none.
 */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex')
}
