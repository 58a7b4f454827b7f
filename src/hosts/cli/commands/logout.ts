/**
 * logout: signs out of a server: revokes the tokens where the server supports it, and deletes them.
 */
import { ProblemError } from '../../../problem/problem.ts'
import { notSignedIn, signOut, type SignedOut } from '../../../runtime/sign-out.ts'
import { showUntil } from '../../shared/show-until.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'
import { unknownServer } from '../unknown-server.ts'

/** Throws `cli/unknown-server`, `authorize/not-signed-in`, `authorize/store-…`. */
export async function run(context: CommandContext): Promise<number> {
  const { world, terminal } = context
  const name = context.args[0]!
  const loaded = await context.load()
  const done = await signOut(world, loaded, name)
  if (done.length === 0) {
    const isKnown = loaded.catalog.entries.some(({ entry }) => entry.found.name === name)
    const isAddress = URL.canParse(name)
    throw new ProblemError(
      isKnown || isAddress ? notSignedIn(name) : unknownServer(name, loaded.catalog, world),
    )
  }
  if (context.json) printJson(terminal, { server: name, signedOut: done.map(toJson) })
  else
    printLines(
      terminal,
      done.flatMap((one) => toText(name, one, world.clock.now())),
    )
  return DONE
}

function toJson({ key, revocation }: SignedOut): object {
  const { issuer, credentialId } = key
  return {
    ...(issuer === '' ? {} : { issuer }),
    ...(credentialId === undefined ? {} : { credentialId }),
    revoked: revocation.kind === 'revoked',
    ...(revocation.kind === 'failed' ? { why: revocation.why } : {}),
  }
}

function toText(name: string, { key, revocation, expiresAt }: SignedOut, now: number): readonly string[] {
  const where = key.issuer === '' ? '' : ` at ${key.issuer}`
  if (revocation.kind === 'revoked')
    return [`signed out of \`${name}\`: the tokens were taken back${where}, and are forgotten here`]
  const forgotten = `signed out of \`${name}\`: the tokens are forgotten here`
  // Expired tokens are useless already.
  if (revocation.kind === 'over' || (expiresAt !== undefined && expiresAt <= now)) return [forgotten]
  const why =
    revocation.kind === 'failed'
      ? `they could not be taken back: ${revocation.why}`
      : 'there is no way to take them back'
  const until = expiresAt === undefined ? '' : `, ${showUntil(expiresAt)}`
  return [forgotten, `  ${why}; whoever has a copy can use it${until}`]
}
