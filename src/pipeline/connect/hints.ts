/**
 * hints: advice for a remote server that cannot be reached, or when another program answers at its address.
 */
import { inShell } from '../../base/in-shell.ts'
import type { AdmittedServer } from '../../model/catalog.ts'
import { hasOwnAuthorization, mayCarryTokens } from '../../model/definition.ts'
import { faultOf, type NetworkFailure } from '../../model/network.ts'
import { SOURCE_TITLES } from '../../model/origin.ts'
import { startupTimeoutField } from '../../model/startup-timeout-field.ts'
import { showTemplate } from '../../model/template.ts'
import { adviseOnPlainHttp } from '../../problem/plain-http.ts'

type Transport = AdmittedServer['transport']

export const SIGN_IN_HINT =
  'it wants you to sign in: give its entry a token, `"headers": { "Authorization": "Bearer …" }`'

/** A server whose entry brings its own token cannot be signed in to: Plugboard would still send the entry's token. */
export function adviseOnSignIn({ name, transport }: AdmittedServer): readonly string[] {
  const isOAuth = transport.type === 'http' || transport.type === 'sse'
  if (!isOAuth || transport.oauth?.isOff === true) return [SIGN_IN_HINT]
  if (hasOwnAuthorization(transport))
    return ['check the token in its entry, under `"headers": { "Authorization": … }`']
  const address = showTemplate(transport.url)
  // Over plain HTTP, a sign-in is refused or its token is never sent. `login` checks an address with variables.
  if (URL.canParse(address) && !mayCarryTokens(transport, address))
    return adviseOnPlainHttp(transport, address)
  const login = `plugboard login ${inShell(name)}`
  return [
    `run \`${login}\``,
    `on a machine with no browser, run \`${login} --no-browser\` and follow the link it prints`,
  ]
}

/** How to give a slow server more time, with the keys of the file that declares it. */
export function adviseOnLimit({ name, found }: AdmittedServer): readonly string[] {
  const field = startupTimeoutField(found)
  if (field !== undefined)
    return [`if it is only slow to start, raise \`${field.name}\` (${field.unit}) in its entry`]
  // A copy must rank above the entry that it copies.
  const flag = { user: '', local: ' --scope local', project: ' --scope local' }[found.origin.scope as string]
  if (flag === undefined) return []
  const command = `plugboard import ${found.origin.source} ${inShell(name)}${flag}`
  return [
    `if it is only slow to start, run \`${command}\` and raise \`startupTimeout\` (milliseconds) in the copy: ` +
      `the files of ${SOURCE_TITLES[found.origin.source]} have no such limit`,
  ]
}

/** A program answers at the address, but does not speak this transport. */
export function adviseOnAddress({ type }: Transport): readonly string[] {
  const other = { http: 'sse', sse: 'http' }[type as string]
  const advice = 'check the path of its `url`'
  return [other === undefined ? advice : `${advice}; if that is right, try \`"type": "${other}"\``]
}

export const PAGE_HINTS = [
  'check the path of its `url`: many servers end in `/mcp` or `/sse`',
  'if the page is one to sign in at, give its entry a token: `"headers": { "Authorization": "Bearer …" }`',
]

export function adviseOnNetwork(transport: Transport, failure: NetworkFailure): readonly string[] {
  const { via } = failure
  if (via?.isAtFault === true) return adviseOnProxy(failure, via.variable)
  switch (faultOf(failure)) {
    case 'not-renewed':
      return ['check that this machine is online, and try again: you need not sign in again']
    case 'refused':
      return ['start the server, or check the port in its `url`']
    case 'not-found':
      return ['check the host in its `url`, and that this machine is online']
    case 'self-signed':
    case 'unknown-issuer':
      return [
        'if you trust it, save the certificate of its issuer as a PEM file and set `NODE_EXTRA_CA_CERTS` to that file before you start',
      ]
    case 'expired':
    case 'not-yet-valid':
      return [
        'check the clock of this machine; if it is right, whoever runs the server must renew its certificate',
      ]
    case 'other-host':
      return ['use the host in its `url` that the certificate is for']
    case 'no-tls':
      return [
        `if it has no certificate, begin its \`url\` with \`${isSocket(transport) ? 'ws' : 'http'}://\``,
      ]
    case 'broken-off':
    case 'no-http':
      return adviseOnBroken(transport)
    default:
      return ['check its `url`, and that the server is running and can be reached from here']
  }
}

function adviseOnProxy(failure: NetworkFailure, variable: string): readonly string[] {
  const host = failure.host?.replace(/:\d+$/, '')
  const around =
    host === undefined ? [] : [`to reach this server without it, add \`${host}\` to \`NO_PROXY\``]
  const fault = faultOf(failure)
  if (fault === 'proxy-wants-login')
    return [`put them into \`${variable}\`: \`http://name:password@proxy:port\``, ...around]
  return [`check \`${variable}\` in your environment`, ...around]
}

/** A server that wants TLS closes every connection that begins without it. */
function adviseOnBroken(transport: Transport): readonly string[] {
  const address = 'url' in transport ? showTemplate(transport.url) : ''
  const advice = 'check that the server is well, and what is between here and there (firewall, VPN)'
  const plain = /^(http|ws):/i.exec(address)?.[1]
  if (plain === undefined) return [advice]
  return [`if it wants a secure connection, begin its \`url\` with \`${plain.toLowerCase()}s://\``, advice]
}

function isSocket({ type }: Transport): boolean {
  return type === 'ws' || type === 'ws-ide'
}
