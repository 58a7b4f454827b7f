/**
 * homes: folders as users have them, for commands to be run in.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A home in which the first so many of twelve sources declare `count` servers between them. The first four write JSON. */
export function makeHome(home, count, sources = 12) {
  const share = (i) => Math.floor(count / sources) + (i < count % sources ? 1 : 0)
  const files = [
    ['.config/plugboard/mcp.json', json('mcpServers')],
    ['.xcsh/mcp.json', json('mcpServers')],
    ['.x-code/config.json', json('mcpServers')],
    ['.claude.json', json('mcpServers')],
    ['.codex/config.toml', toml],
    ['.gemini/settings.json', json('mcpServers')],
    [
      '.config/opencode/opencode.json',
      json('mcp', (entry) => ({
        ...entry,
        command: [entry.command, ...entry.args],
        args: undefined,
        env: undefined,
        environment: entry.env,
        type: 'local',
      })),
    ],
    ['.copilot/mcp-config.json', json('mcpServers')],
    ['.cursor/mcp.json', json('mcpServers')],
    ['.codeium/windsurf/mcp_config.json', json('mcpServers')],
    ['.config/Code/User/mcp.json', json('servers')],
    ['.config/goose/config.yaml', yaml],
  ]
  for (const [i, [path, write]] of files.slice(0, sources).entries()) {
    const servers = Array.from({ length: share(i) }, (_, n) => server(`s${i}-${n}`))
    mkdirSync(dirname(join(home, path)), { recursive: true })
    writeFileSync(join(home, path), write(servers))
  }
  return home
}

/** A home in which Claude Code has been used for years: all that it knows of its projects is in one file with its servers. */
export function makeLongHome(home, megabytes) {
  const prompt = (i) => ({
    display: `prompt ${i}: ${'why does "this" fail, and since when? '.repeat(6)}`,
    pastedContents: {},
  })
  const project = {
    allowedTools: [],
    history: Array.from({ length: 100 }, (_, i) => prompt(i)),
    mcpServers: {},
  }
  const count = Math.round((megabytes * 1e6) / JSON.stringify(project, null, 2).length)
  const projects = Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`/home/me/project-${i}`, project]),
  )
  const servers = Array.from({ length: 10 }, (_, i) => server(`s${i}`))
  const mcpServers = Object.fromEntries(servers.map(({ name, ...entry }) => [name, entry]))
  mkdirSync(home, { recursive: true })
  writeFileSync(join(home, '.claude.json'), JSON.stringify({ mcpServers, projects }, null, 2))
  return home
}

function server(name) {
  return {
    name,
    command: 'npx',
    args: ['-y', `@acme/${name}`, '--root', '/tmp'],
    env: { TOKEN: '${BENCH_TOKEN:-none}' },
  }
}

function json(key, change = (entry) => entry) {
  return (servers) =>
    JSON.stringify(
      { [key]: Object.fromEntries(servers.map(({ name, ...entry }) => [name, change(entry)])) },
      null,
      2,
    )
}

function toml(servers) {
  return servers
    .map(
      ({ name, command, args, env }) =>
        `[mcp_servers.${name}]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\nenv = { TOKEN = "${env.TOKEN}" }\n`,
    )
    .join('\n')
}

function yaml(servers) {
  const entries = servers.map(
    ({ name, command, args }) =>
      `  ${name}:\n    type: stdio\n    cmd: ${command}\n    args: ${JSON.stringify(args)}\n    enabled: true\n`,
  )
  return `extensions:\n${entries.join('')}`
}

/** A home in which the user's own file, and no other, declares these. */
export function makeOwnHome(home, servers) {
  mkdirSync(join(home, '.config/plugboard'), { recursive: true })
  writeFileSync(join(home, '.config/plugboard/mcp.json'), JSON.stringify({ mcpServers: servers }))
  return home
}
