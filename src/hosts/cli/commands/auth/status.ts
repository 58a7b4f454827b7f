/**
 * status: lists the sign-ins: server, expiry, scopes, and where each is stored. Never shows a secret, and never asks a
 * server.
 */
import { toPrintable } from '../../../../base/printable.ts'
import { maskText } from '../../../../problem/mask-text.ts'
import { findSignIns, type FoundSignIn } from '../../../../runtime/find-sign-ins.ts'
import { showTime } from '../../../shared/show-until.ts'
import { toProblemJson } from '../../../shared/problem-json.ts'
import { toTable, type Column } from '../../../shared/table.ts'
import type { CommandContext } from '../../command.ts'
import { DONE, TO_FIX } from '../../exit-codes.ts'
import { printJson, reportBeside } from '../../print.ts'

const COLUMNS: readonly Column[] = [
  { title: 'SERVER', shrinks: 2 },
  { title: 'ISSUER', shrinks: 1, isDetail: true },
  { title: 'UNTIL' },
  { title: 'SCOPES', shrinks: 3 },
  { title: 'KEPT IN' },
]

export async function run(context: CommandContext): Promise<number> {
  const { world, terminal, paint } = context
  const { signIns, problem } = findSignIns(world, await context.load())
  const exitCode = problem === undefined ? DONE : TO_FIX
  if (context.json) {
    const credentials = signIns.map(toJson)
    printJson(terminal, {
      credentials,
      ...(problem === undefined ? {} : { problems: [toProblemJson(problem)] }),
    })
    return exitCode
  }
  if (problem !== undefined) reportBeside(context, [problem])
  else if (signIns.length === 0)
    terminal.out('nobody is signed in anywhere; `plugboard login <server>` signs you in\n')
  else {
    const now = world.clock.now()
    const rows = signIns.map((one) => [
      nameOf(one),
      one.key.issuer,
      untilOf(one, now),
      one.scopes.map(toPrintable).join(' '),
      one.kept,
    ])
    terminal.out(`${toTable(COLUMNS, rows, { paint, columns: terminal.columns }).join('\n')}\n`)
  }
  return exitCode
}

/** Its servers; otherwise the address, which no entry has any more; otherwise the name of the credential. */
function nameOf({ servers, key }: FoundSignIn): string {
  const named = key.credentialId === undefined ? '' : ` (${key.credentialId})`
  if (servers.length > 0) return `${servers.join(', ')}${named}`
  return key.url === undefined ? `credential ${key.credentialId}` : `${maskText(key.url)}${named}`
}

function untilOf({ ended, canRenew, expiresAt }: FoundSignIn, now: number): string {
  if (ended !== undefined) return 'ended: sign in again'
  if (expiresAt === undefined) return canRenew ? 'renewed by itself' : 'not known'
  if (canRenew) return `${showTime(expiresAt)}, then renewed`
  return expiresAt <= now ? `over since ${showTime(expiresAt)}` : showTime(expiresAt)
}

function toJson(one: FoundSignIn): object {
  const { servers, key, expiresAt, scopes, kept, canRenew, ended, clientId } = one
  return {
    server: servers[0] ?? (key.url === undefined ? '' : maskText(key.url)),
    servers,
    ...(key.url === undefined ? {} : { url: maskText(key.url) }),
    ...(key.issuer === '' ? {} : { issuer: key.issuer }),
    ...(key.credentialId === undefined ? {} : { credentialId: key.credentialId }),
    ...(clientId === '' ? {} : { clientId }),
    ...(expiresAt === undefined ? {} : { expiresAt: new Date(expiresAt).toISOString() }),
    scopes,
    store: kept,
    canRenew,
    ...(ended === undefined ? {} : { ended: { at: new Date(ended.at).toISOString(), error: ended.error } }),
  }
}
