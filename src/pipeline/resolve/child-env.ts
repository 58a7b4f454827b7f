/**
 * child-env: the part of the user's environment that a stdio server gets.
 *
 * A server gets enough to find programs, the home, the network and its certificates. It gets no token from the
 * environment.
 */
import type { Env, Platform } from '../../world/world.ts'

const UNIX = ['PATH', 'HOME', 'USER', 'LOGNAME', 'SHELL', 'LANG', 'TZ', 'TERM', 'TMPDIR', 'SSH_AUTH_SOCK']

const WINDOWS = [
  'ALLUSERSPROFILE',
  'APPDATA',
  'COMMONPROGRAMFILES',
  'COMMONPROGRAMFILES(X86)',
  'COMMONPROGRAMW6432',
  'COMSPEC',
  'COMPUTERNAME',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'NUMBER_OF_PROCESSORS',
  'OS',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'PUBLIC',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERDOMAIN',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
]

const PROXIES = ['http_proxy', 'https_proxy', 'no_proxy', 'all_proxy']

const NETWORK = [
  ...PROXIES,
  ...PROXIES.map((name) => name.toUpperCase()),
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
  'REQUESTS_CA_BUNDLE',
  'CURL_CA_BUNDLE',
]

const ON_UNIX = new Set([...UNIX, ...NETWORK])
const ON_WINDOWS = new Set([...WINDOWS, ...NETWORK.map((name) => name.toUpperCase())])

export function minimalEnv(env: Env, platform: Platform): readonly (readonly [string, string])[] {
  const isPassed =
    platform === 'win32'
      ? (name: string) => ON_WINDOWS.has(name.toUpperCase())
      : (name: string) => ON_UNIX.has(name) || /^(?:LC_|XDG_)/.test(name)
  // `()` begins a shell function that bash exported; a shell that reads it runs the code in it.
  return pairsOf(env, Object.keys(env).filter(isPassed)).filter(([, value]) => !value.startsWith('()'))
}

export function wholeEnv(env: Env): readonly (readonly [string, string])[] {
  return pairsOf(env, Object.keys(env))
}

/** Filters by name first: reading each value of `process.env` is a system call, and most values are not passed on. */
function pairsOf(env: Env, names: readonly string[]): readonly (readonly [string, string])[] {
  const pairs: [string, string][] = []
  for (const name of names) {
    const value = env[name]
    if (value !== undefined) pairs.push([name, value])
  }
  return pairs
}
