/**
 * certificates: made by openssl for one test run, since `node:crypto` makes none.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface Certificates extends Disposable {
  /** Of the issuer, for `NODE_EXTRA_CA_CERTS`. */
  readonly issuer: string
  /** For 127.0.0.1, and valid; the others have one fault each. */
  readonly kinds: Readonly<Record<CertificateKind, Certificate>>
}

export interface Certificate {
  readonly key: string
  readonly cert: string
}

export type CertificateKind = 'good' | 'expired' | 'other-host' | 'self-signed'

const HERE = 'subjectAltName=IP:127.0.0.1'

export function createCertificates(): Certificates {
  const folder = mkdtempSync(join(tmpdir(), 'plugboard-certificates-'))
  const openssl = (...args: string[]): void =>
    void execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const self = (name: string, subject: string, extension: string): void =>
    openssl(...SELF, '-keyout', `${name}.key`, '-out', `${name}.pem`, '-subj', subject, '-addext', extension)
  self('issuer', '/CN=Test issuer', 'basicConstraints=critical,CA:TRUE')
  self('self-signed', '/CN=127.0.0.1', HERE)
  writeFileSync(join(folder, 'index'), '')
  writeFileSync(join(folder, 'ca.conf'), CA_CONF)
  const issue = (name: string, extension: string, dates: readonly string[]): void => {
    openssl(...ASK, '-keyout', `${name}.key`, '-out', `${name}.csr`, '-subj', `/CN=${name}`)
    writeFileSync(join(folder, `${name}.ext`), extension)
    openssl(...ISSUE, '-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', `${name}.ext`, ...dates)
  }
  issue('good', HERE, ['-days', '2'])
  issue('other-host', 'subjectAltName=DNS:other.test', ['-days', '2'])
  issue('expired', HERE, ['-startdate', '200101000000Z', '-enddate', '210101000000Z'])
  const read = (name: string): Certificate => ({
    key: readFileSync(join(folder, `${name}.key`), 'utf8'),
    cert: readFileSync(join(folder, `${name}.pem`), 'utf8'),
  })
  return {
    issuer: join(folder, 'issuer.pem'),
    kinds: {
      good: read('good'),
      expired: read('expired'),
      'other-host': read('other-host'),
      'self-signed': read('self-signed'),
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
}

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
const SELF = ['req', '-x509', ...KEY, '-days', '2']
const ASK = ['req', '-new', ...KEY]
const ISSUE = [
  'ca',
  '-batch',
  '-notext',
  '-config',
  'ca.conf',
  '-cert',
  'issuer.pem',
  '-keyfile',
  'issuer.key',
]
const CA_CONF = `[ca]
default_ca = test
[test]
database = index
new_certs_dir = .
rand_serial = yes
default_md = sha256
policy = any
unique_subject = no
[any]
commonName = supplied
`
