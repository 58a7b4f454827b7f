/**
 * npm-registry: an npm registry on loopback with packages that are MCP servers: programs of this folder. A tarball is sent
 * when the test says so.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'

export interface NpmRegistry extends AsyncDisposable {
  /** What an entry needs in its `env` to use it, and nothing else. */
  readonly env: Readonly<Record<string, string>>
  /** Resolves when somebody has asked for so many tarballs, and when somebody has asked so often what a package is. */
  asked(what: 'tarball' | 'package', times?: number): Promise<void>
  /** From now on tarballs are sent, and those that were asked for. */
  release(): void
}

/** Each package has the name of its program. */
export async function openNpmRegistry(programs: readonly string[]): Promise<NpmRegistry> {
  const packages = new Map(programs.map((name) => [name, pack(name)]))
  const counts = { tarball: 0, package: 0 }
  let watchers: (() => void)[] = []
  let open = (): void => undefined
  const gate = new Promise<void>((resolve) => (open = resolve))
  const count = (what: keyof typeof counts): void => {
    counts[what] += 1
    for (const look of watchers) look()
  }
  const server = createServer((request, response) => {
    const [, name = '', file] = decodeURIComponent(request.url ?? '').split('/')
    const tarball = packages.get(name)
    if (tarball === undefined) return void response.writeHead(404).end('{}')
    if (file !== undefined) {
      count('tarball')
      return void gate.then(() => response.end(tarball))
    }
    count('package')
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(describe(name, tarball, `${origin()}/${name}/${name}.tgz`)))
  })
  const origin = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    env: {
      npm_config_registry: origin(),
      npm_config_audit: 'false',
      npm_config_fund: 'false',
      npm_config_update_notifier: 'false',
    },
    asked: (what, times = 1) =>
      new Promise((resolve) => {
        const look = (): void => {
          if (counts[what] < times) return
          watchers = watchers.filter((one) => one !== look)
          resolve()
        }
        watchers.push(look)
        look()
      }),
    release: () => open(),
    async [Symbol.asyncDispose]() {
      open()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function describe(name: string, tarball: Buffer, url: string): object {
  const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`
  const version = { ...manifest(name), dist: { tarball: url, integrity } }
  return { name, 'dist-tags': { latest: '1.0.0' }, versions: { '1.0.0': version } }
}

function manifest(name: string): object {
  return { name, version: '1.0.0', type: 'module', bin: { [name]: `${name}.mjs` } }
}

function pack(name: string): Buffer {
  const read = (file: string): string => readFileSync(new URL(`${file}.mjs`, import.meta.url), 'utf8')
  const files = [
    ['package.json', JSON.stringify(manifest(name))],
    ['speak.mjs', read('speak')],
    [`${name}.mjs`, `#!/usr/bin/env node\n${read(name)}`],
  ] as const
  const end = Buffer.alloc(1024)
  return gzipSync(Buffer.concat([...files.map(([file, text]) => toTar(`package/${file}`, text)), end]))
}

/** One file in the format of POSIX (ustar). */
function toTar(path: string, text: string): Buffer {
  const content = Buffer.from(text)
  const header = Buffer.alloc(512)
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, '0')}\0`
  const fields: readonly (readonly [at: number, value: string])[] = [
    [0, path],
    [100, octal(0o755, 7)],
    [108, octal(0, 7)],
    [116, octal(0, 7)],
    [124, octal(content.length, 11)],
    [136, octal(0, 11)],
    [148, '        '],
    [156, '0'],
    [257, 'ustar\u000000'],
  ]
  for (const [at, value] of fields) header.write(value, at, 'latin1')
  header.write(
    `${octal(
      header.reduce((sum, byte) => sum + byte, 0),
      6,
    )} `,
    148,
    'latin1',
  )
  return Buffer.concat([header, content, Buffer.alloc((512 - (content.length % 512)) % 512)])
}
