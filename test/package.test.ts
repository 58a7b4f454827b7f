/**
 * package: what would be published installs and runs, in a folder that knows nothing of this one.
 */
import { execFileSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { notePrinted } from './leaks/printed.ts'
import { runChild } from './processes/plugboard.ts'
import { openStreamingModel } from './servers/http/streaming-model.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }

/** What npm says of a package that it made. */
interface Packed {
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
  readonly unpackedSize: number
}

let folder: string
let packed: readonly string[]
let unpackedBytes: number

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'plugboard-package-'))
  // Built before the tests; building again would pull the command from under those that run it.
  const report = run('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', folder], ROOT)
  const [{ filename, files, unpackedSize }] = JSON.parse(report) as [Packed]
  packed = files.map(({ path }) => path)
  unpackedBytes = unpackedSize
  writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }')
  run('npm', ['install', '--no-audit', '--no-fund', '--prefer-offline', join(folder, filename)], folder)
})

afterAll(() => rmSync(folder, { recursive: true }))

describe('the package', () => {
  test('holds the build and the documents, and nothing of the workshop', () => {
    const tops = new Set(packed.map((path) => path.split('/')[0]))
    expect([...tops].sort()).toEqual(['CHANGELOG.md', 'LICENSE', 'README.md', 'dist', 'package.json'])
  })

  test('takes at most 7 MB', () => {
    expect(unpackedBytes).toBeLessThan(7_000_000)
  })

  test('installs a command that runs', () => {
    expect(run(join(folder, 'node_modules', '.bin', 'plugboard'), ['--version'], folder)).toBe(`${version}\n`)
  })

  test('lists a server it finds', () => {
    const config = '{ "mcpServers": { "files": { "command": "node" } } }'
    const list = run(
      join(folder, 'node_modules', '.bin', 'plugboard'),
      ['list', '--json', '--mcp-config', config],
      folder,
    )
    const { servers } = JSON.parse(list) as { servers: { name: string; fate: { kind: string } }[] }
    expect(servers.map(({ name, fate }) => [name, fate.kind])).toEqual([['files', 'chosen']])
  })

  test('approves a server of a project, which needs the libraries that are not bundled', () => {
    const project = join(folder, 'project')
    mkdirSync(project)
    writeFileSync(join(project, '.mcp.json'), '{ "mcpServers": { "shop": { "command": "node" } } }')
    const bin = join(folder, 'node_modules', '.bin', 'plugboard')
    expect(run(bin, ['trust', 'approve', 'shop'], project)).toContain('approved `shop`')
    expect(run(bin, ['list'], project)).toMatch(/shop +stdio +project +mcp.json +chosen/)
  })

  test('has the shell with all it is made of inside: a model can be asked, and nothing else is installed', async () => {
    for (const name of ['ai', '@ai-sdk', 'ink', 'react'])
      expect(existsSync(join(folder, 'node_modules', name))).toBe(false)
    for (const provider of ['openai', 'anthropic']) {
      await using model = await openStreamingModel({ kind: 'text', text: `From ${provider}.` })
      const env = {
        PATH: process.env['PATH'] ?? '',
        HOME: join(folder, 'home'),
        PLUGBOARD_MODEL: `${provider}/scripted`,
        [`${provider.toUpperCase()}_BASE_URL`]: `${model.origin}/v1`,
      }
      const line = [join(folder, 'node_modules', '.bin', 'plugboard'), 'run', 'hello']
      const { code, stdout, stderr } = await runChild(line, { cwd: folder, env })
      expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `From ${provider}.\n` })
    }
  })

  test('is a library that can be imported', () => {
    const program = `
      import { discoverServers } from 'plugboard'
      const { servers } = await discoverServers({ servers: { files: { command: 'node' } } })
      console.log(servers.map(({ name }) => name).join())`
    expect(run(process.execPath, ['--input-type=module', '-e', program], folder)).toBe('files\n')
  })

  test('has adapters that can be imported without the packages they are for', () => {
    const program = `
      const names = await Promise.all(['ai', 'anthropic', 'langchain', 'openai'].map(async (name) =>
        Object.keys(await import('plugboard/' + name)).sort().join()))
      console.log(names.join(' '))`
    expect(run(process.execPath, ['--input-type=module', '-e', program], folder)).toBe(
      'toAiTools runAnthropicToolUse,toAnthropicTools toLangChainTools runOpenAiToolCall,toOpenAiTools\n',
    )
  })

  test('has adapters whose types are those of the packages: the examples of the guide', () => {
    const guide = readFileSync(join(ROOT, 'docs', 'guides', 'embed.md'), 'utf8')
    const examples = [...guide.matchAll(/^```ts\n([^]*?)^```$/gm)].map(([, code]) => code!)
    expect(examples).toHaveLength(6)
    const home = join(folder, 'examples')
    mkdirSync(join(home, 'node_modules'), { recursive: true })
    writeFileSync(join(home, 'package.json'), '{ "private": true, "type": "module" }')
    for (const name of ['ai', 'openai', '@anthropic-ai', '@langchain', '@types']) {
      symlinkSync(join(ROOT, 'node_modules', name), join(home, 'node_modules', name), 'junction')
    }
    // Where its declarations look for those packages.
    cpSync(join(folder, 'node_modules', 'plugboard'), join(home, 'node_modules', 'plugboard'), {
      recursive: true,
    })
    const files = examples.map((code, i) => {
      writeFileSync(join(home, `example-${i}.ts`), code)
      return `example-${i}.ts`
    })
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const flags = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2023']
    expect(run(process.execPath, [tsc, ...flags, ...files], home)).toBe('')
  })

  test('has types that resolve', () => {
    const program = `
      import { discoverServers, type Catalog, type Fate } from 'plugboard'
      const catalog: Catalog = await discoverServers({ cwd: '.' })
      export const fates: readonly Fate['kind'][] = catalog.entries.map(({ fate }) => fate.kind)
      // @ts-expect-error there is no such option
      await discoverServers({ nonsense: true })`
    writeFileSync(join(folder, 'program.ts'), program)
    const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
    const flags = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023']
    expect(run(process.execPath, [tsc, ...flags, 'program.ts'], folder)).toBe('')
  })
})

/** With a home of its own; npm keeps its cache. */
function run(command: string, args: readonly string[], cwd: string): string {
  const npm = Object.entries(process.env).filter(([name]) => /^npm_config_/i.test(name))
  const isNpm = command === 'npm'
  const env = isNpm
    ? process.env
    : { ...Object.fromEntries(npm), PATH: process.env['PATH'], HOME: join(folder, 'home') }
  try {
    const text = execFileSync(command, args, {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    notePrinted(args.join(' '), text)
    return text
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string }
    throw new Error(`${command} ${args.join(' ')}: ${stdout}${stderr}`, { cause: error })
  }
}
