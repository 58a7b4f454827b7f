/**
 * login-problems: why the user cannot sign in to a server at all.
 */
import { toCommandLine } from '../base/command-line.ts'
import type { AdmittedServer } from '../model/catalog.ts'
import type { Problem } from '../model/problem.ts'
import { adviseOnPlainHttp, becauseOfPlainHttp } from '../problem/plain-http.ts'
import { createProblem, whereOrigin } from '../problem/problem.ts'

/** OAuth does not apply, for example to servers that are started. */
export function noOAuth(server: AdmittedServer): Problem {
  const { name, transport, found } = server
  const isOff = 'oauth' in transport && transport.oauth?.isOff === true
  return createProblem({
    code: 'authorize/no-oauth',
    message: isOff
      ? `the entry of \`${name}\` says that OAuth must not be tried`
      : `\`${name}\` is of type \`${transport.type}\`, and one signs in only to servers of type \`http\` or \`sse\``,
    where: whereOrigin(found.origin, name),
    hints: isOff ? ['take `oauth` out of its entry'] : adviseOn(server),
  })
}

function adviseOn({ name, transport: { type }, auth }: AdmittedServer): readonly string[] {
  if (type === 'stdio') {
    const id = auth?.credentialId === undefined ? '<id>' : toCommandLine('', [auth.credentialId], 'linux')
    const command = toCommandLine(`plugboard login --credential ${id.trim()}`, [name], 'linux')
    return [
      `if it takes a token from \`OAUTH_ACCESS_TOKEN\`, run \`${command}\``,
      'else give it what it needs in `env` of its entry',
    ]
  }
  return type === 'ws' ? ['give its entry a token: `"headers": { "Authorization": "Bearer …" }`'] : []
}

export function hasOwnHeader({ name, found }: AdmittedServer): Problem {
  return createProblem({
    code: 'authorize/own-header',
    message: `the entry of \`${name}\` sends an \`Authorization\` of its own, so a sign-in would not be used`,
    where: whereOrigin(found.origin, name),
    hints: ['take the header out of its entry to sign in'],
  })
}

/** The server wants a token, and every machine on the way could read it. */
export function plainHttp({ name, found, transport }: AdmittedServer, url: string): Problem {
  return createProblem({
    code: 'authorize/plain-http',
    message: `no token is sent to \`${name}\`: ${becauseOfPlainHttp(url)}`,
    where: whereOrigin(found.origin, name),
    hints: adviseOnPlainHttp(transport, url),
  })
}

export function unreachable({ name, found }: AdmittedServer, why: string): Problem {
  return createProblem({
    code: 'authorize/unreachable',
    message: `Failed to connect to "${name}": ${why}`,
    where: whereOrigin(found.origin, name),
    hints: ['check its `url`, and that the server is running and can be reached from here'],
  })
}

/** With the reason why its `url` could not be filled in, when it is known. */
export function noAddress({ name, found }: AdmittedServer, gaps: readonly Problem[]): Problem {
  const [first] = gaps
  return createProblem({
    code: 'authorize/no-address',
    message: `Failed to connect to "${name}": its \`url\` is not an address`,
    where: first?.where ?? whereOrigin(found.origin, name),
    notes: gaps.map(({ message }) => message),
    hints: first?.hints ?? ['check its `url`'],
  })
}
