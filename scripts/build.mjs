/**
 * build: src/ → dist/.
 *
 *   plugboard.cjs   the command; bin.cjs starts it with the code cache beside it
 *   connected.cjs   the commands that connect, loaded by it when one of them runs
 *   adding.cjs      those that add servers; managing.cjs: those that change them
 *   permitting.cjs  those about permissions and pins; signing-in.cjs: about sign-ins, login.cjs and alone.cjs: how they come about; doctor.cjs, completion.cjs, watch.cjs: those; path-watch.cjs: what the last needs
 *   update-file.cjs for what is written; lock.cjs: for what is changed while an authorization server is asked
 *   gateway.cjs     the gateway, for `serve`; serving.cjs: HTTP that it is asked over; issuer.cjs: tokens of others, for a gateway that is shared; daemon.cjs: the one in the background, serve-daemon.cjs, status.cjs, stop.cjs: what starts it, looks at it and ends it
 *   undici.cjs, ws.cjs   what those need for servers that are not their children
 *   parse-*.cjs     the parsers it loads when a file is not plain; edit-*.cjs: the editors, when one is changed
 *   index.js        the library, in chunks, so that a host loads what it uses
 *   cached.js       the same as a single script with its code cache: library.cjs
 *   ai.js, anthropic.js, langchain.js, openai.js   its adapters, each for a package that the host brings
 *   shell.js, load/  the shell, an ES module, and how the command gets at it
 *   types/          declarations
 */
import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20.19',
  // Names stay readable in stack traces; white space costs parse time.
  minifyWhitespace: true,
  minifySyntax: true,
  define: { __PLUGBOARD_VERSION__: JSON.stringify(version) },
  // The ES module builds: smaller when bundled, and they ask for no `require`.
  mainFields: ['module', 'main'],
  // Rarely needed and CommonJS: left to Node to load.
  external: ['@clack/prompts', '@napi-rs/keyring', '@modelcontextprotocol/client'],
  logLevel: 'warning',
}

/** Parts of the command that most runs do not need: in bundles of their own, they cost nothing until then. */
const APART = {
  'src/pipeline/discover/formats/json.ts': 'parse-json',
  'src/pipeline/discover/formats/toml.ts': 'parse-toml',
  'src/pipeline/discover/formats/yaml.ts': 'parse-yaml',
  'src/edit/jsonc.ts': 'edit-jsonc',
  'src/edit/toml.ts': 'edit-toml',
  'src/edit/yaml.ts': 'edit-yaml',
  'src/hosts/cli/connected.ts': 'connected',
  'src/hosts/cli/adding.ts': 'adding',
  'src/hosts/cli/managing.ts': 'managing',
  'src/hosts/cli/permitting.ts': 'permitting',
  'src/hosts/cli/signing-in.ts': 'signing-in',
  'src/runtime/login-by-name.ts': 'login',
  'src/pipeline/authorize/alone.ts': 'alone',
  'src/hosts/cli/commands/completion.ts': 'completion',
  'src/hosts/cli/commands/doctor.ts': 'doctor',
  'src/hosts/cli/commands/watch.ts': 'watch',
  'src/hosts/gateway/serve.ts': 'gateway',
  'src/hosts/gateway/daemon.ts': 'daemon',
  'src/hosts/cli/commands/status.ts': 'status',
  'src/hosts/cli/commands/stop.ts': 'stop',
  'src/hosts/cli/serve-daemon.ts': 'serve-daemon',
  'src/hosts/gateway/issuer.ts': 'issuer',
  'src/world/node/lock.ts': 'lock',
  'src/world/node/update-file.ts': 'update-file',
  'src/world/node/path-watch.ts': 'path-watch',
  'src/world/node/serving.ts': 'serving',
  'src/world/node/agents.ts': 'undici',
  ws: 'ws',
}
/** As those, but ES modules, for what cannot be required: through a file of a few lines, since a script from a code cache has no `import()`. */
const APART_MODULES = {
  'src/hosts/shell/main.ts': { name: 'shell', exports: ['demo', 'headless', 'shell'] },
}
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
      if (kind !== 'dynamic-import') return undefined
      const file = path.startsWith('.') ? relative(root, join(resolveDir, path)).replaceAll('\\', '/') : path
      if (Object.hasOwn(APART, file)) return { path: `./${APART[file]}.cjs`, external: true }
      if (Object.hasOwn(APART_MODULES, file))
        return { path: `./load/${APART_MODULES[file].name}.cjs`, external: true }
      return undefined
    })
  },
}
/** What ink asks for when `DEV` is set, and nobody has installed. */
const withoutDevtools = {
  name: 'without-devtools',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^react-devtools-core$/ }, () => ({ path: 'devtools', namespace: 'nothing' }))
    onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: 'export default {}' }))
  },
}
const commandBundle = {
  ...common,
  format: 'cjs',
  // Half the source to read; the library's names stay.
  minifyIdentifiers: true,
  // A script that comes out of a code cache has lost the way to `import()`: what is left to Node is required.
  supported: { 'dynamic-import': false },
  banner: { js: '(function(exports,require,module){' },
  footer: { js: '})' },
  plugins: [apart],
}

/** Each is a file of `src/hosts/adapters`, and an export of the package. */
const ADAPTERS = ['ai', 'anthropic', 'langchain', 'openai']

/** Answers whatever it is asked with an empty list: all that is needed to warm up a connection. */
const WARM_SERVER = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line)
  if (id === undefined) return
  const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'warm', version: '1' } }
  const tools = [{ name: 'echo', description: 'echo', inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } }]
  const content = [{ type: 'text', text: 'warm' }]
  const answer = { initialize: { result: hello }, 'tools/list': { result: { tools } }, 'tools/call': { result: { content } } }[method]
  console.log(JSON.stringify({ jsonrpc: '2.0', id, ...(answer ?? { error: { code: -32601, message: 'no' } }) }))
})`

/** With a cache that one server has left, ten of them take a tenth longer on Node 24: V8 also notes what ran often. */
const NINE_MORE = Array.from({ length: 9 }, (_, i) => `local${i}`)

/** What a host does with the library: its servers are there, their tools are called, all is closed. */
const WARM_HOST = `
import { openPlugboard } from ${JSON.stringify(pathToFileURL(join(dist, 'cached.js')).href)}
const given = { command: process.execPath, args: ['-e', ${JSON.stringify(WARM_SERVER)}] }
const board = await openPlugboard({ servers: { given }, wait: 'all', mode: 'bypass' })
for (const { name } of board.tools()) await board.call(name, { text: 'warm' })
board.snapshot()
await board.close()`

rmSync(dist, { recursive: true, force: true })
await Promise.all([
  build({
    ...common,
    entryPoints: [
      { in: 'src/index.ts', out: 'index' },
      ...ADAPTERS.map((name) => ({ in: `src/hosts/adapters/${name}.ts`, out: name })),
    ],
    // Often in the host's own bundle already; what adapters are for is the host's. undici is inside: Bun puts its own
    // in place of the package, in which neither a proxy nor an address that is given means anything.
    external: [...common.external, 'ws', 'eventsource-parser', 'ai', '@ai-sdk/*', '@langchain/*'],
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    chunkNames: 'chunks/[name]-[hash]',
    // undici is CommonJS, and requires nothing but what is Node's.
    banner: { js: 'const require=process.getBuiltinModule;' },
  }),
  build({
    ...common,
    entryPoints: Object.entries(APART_MODULES).map(([file, { name }]) => ({ in: file, out: name })),
    outdir: 'dist',
    splitting: true,
    format: 'esm',
    chunkNames: 'shell/[name]-[hash]',
    minifyIdentifiers: true,
    define: { ...common.define, 'process.env.NODE_ENV': '"production"', 'process.env.DEV': '"false"' },
    // For packages inside that are CommonJS.
    banner: { js: "import{createRequire}from'node:module';const require=createRequire(import.meta.url);" },
    plugins: [withoutDevtools],
  }),
  build({ ...common, entryPoints: ['src/world/node/launch.ts'], outfile: 'dist/bin.cjs', format: 'cjs' }),
  build({ ...common, entryPoints: ['src/cached.ts'], outfile: 'dist/cached.js', format: 'esm' }),
  build({
    ...commandBundle,
    entryPoints: ['src/index.ts'],
    outfile: 'dist/library.cjs',
    minifyIdentifiers: false,
  }),
  build({
    ...commandBundle,
    entryPoints: [{ in: 'src/bin.ts', out: 'plugboard' }, ...partsApart()],
    outdir: 'dist',
    outExtension: { '.js': '.cjs' },
  }),
])
mkdirSync(join(dist, 'load'))
for (const { name, exports } of Object.values(APART_MODULES)) {
  const lines = exports.map(
    (one) =>
      `exports.${one} = { run: async (context) => (await import('../${name}.js')).${one}.run(context) }\n`,
  )
  writeFileSync(join(dist, 'load', `${name}.cjs`), lines.join(''))
}
chmodSync(join(dist, 'bin.cjs'), 0o755)
makeCodeCache()
execFileSync(process.execPath, ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'], {
  cwd: root,
  stdio: 'inherit',
})

function partsApart() {
  return Object.entries(APART).map(([file, out]) => ({ in: file, out }))
}

/**
 * Runs the commands that are run most, each for the caches of its own, and a host, on homes with a file of nearly every agent: a cache
 * holds the functions that ran, and a function that is not in it is compiled again in every run that needs it.
 */
function makeCodeCache() {
  const servers = {
    local: { command: 'npx', args: ['-y', 'server', '${A:-b}'], env: { B: '${C:-d}', E: 'f' } },
    remote: { type: 'http', url: 'https://server.test/mcp', headers: { Authorization: 'Bearer ${C:-d}' } },
  }
  inHome(servers, (plugboard) => {
    plugboard('--help')
    plugboard('list')
    plugboard('sources')
  })
  const warm = {
    local: { command: process.execPath, args: ['-e', WARM_SERVER], env: { B: '${C:-d}' } },
    remote: { ...servers.remote, enabled: false },
  }
  inHome(warm, (plugboard) => {
    plugboard('list', '--check')
    plugboard('call', 'local', 'echo', 'text=warm')
    plugboard('tools', 'local')
  })
  inHome(warm, (_, host) => host(WARM_HOST))
}

/**
 * `use` gets the command, and a way to run a program that embeds us, in a home where nearly every agent has these two
 * servers, the first of them ten times.
 */
function inHome({ local, remote }, use) {
  const home = mkdtempSync(join(tmpdir(), 'plugboard-build-'))
  const others = Object.fromEntries(NINE_MORE.map((name) => [name, local]))
  const family = JSON.stringify({ mcpServers: { local, ...others, remote } }, undefined, 2)
  const [word, ...rest] = [local.command, ...local.args]
  const off = { ...local, enabled: false }
  const files = {
    '.config/plugboard/mcp.json': family,
    '.config/plugboard/settings.json': '{ "deniedMcpServers": ["nobody"], "sources": { "crush": true } }',
    '.xcsh/mcp.json': family,
    '.x-code/config.json': family,
    '.claude.json': family,
    '.gemini/settings.json': family,
    '.copilot/mcp-config.json': family,
    '.cursor/mcp.json': family,
    '.codeium/windsurf/mcp_config.json': family,
    '.cline/data/settings/cline_mcp_settings.json': family,
    '.config/Claude/claude_desktop_config.json': family,
    '.mcp.json': family,
    '.config/Code/User/mcp.json': JSON.stringify({ servers: { local, remote } }),
    '.config/opencode/opencode.json': JSON.stringify({
      mcp: {
        local: { type: 'local', command: [word, ...rest], environment: { B: '{env:C}' }, enabled: true },
      },
    }),
    '.config/crush/crush.json': JSON.stringify({ mcp: { local, remote: off } }),
    '.codex/config.toml':
      '[mcp_servers.c]\ncommand = "node"\nargs = ["x"]\nenabled = false\nenv = { D = "e" }\n\n[mcp_servers.d]\nurl = "https://server.test/mcp"\nenabled = false\n',
    '.config/goose/config.yaml':
      'extensions:\n  d:\n    type: stdio\n    cmd: node\n    args: ["x"]\n    enabled: false\n    timeout: 300\n',
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), text)
  }
  const env = { PATH: process.env.PATH, HOME: home }
  const run = (args) => execFileSync(process.execPath, args, { cwd: home, env, stdio: 'ignore' })
  try {
    use(
      (...args) => run([join(dist, 'bin.cjs'), ...args]),
      (program) => run(['--input-type=module', '-e', program]),
    )
  } finally {
    rmSync(home, { recursive: true })
  }
}
