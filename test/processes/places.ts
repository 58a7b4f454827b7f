/**
 * places: one file for each source that has one, of the user's and in a project, and how servers are written in it.
 */
import type { Files } from './plugboard.ts'

/** A place where servers are declared. */
export interface Place {
  readonly source: string
  readonly file: string
  /** Keys that lead to the map of servers. */
  readonly under: readonly string[]
  /** How the agent spells an entry. */
  readonly shape: Shape
}

type Shape = 'usual' | 'opencode' | 'goose'

function place(source: string, file: string, under = 'mcpServers', shape: Shape = 'usual'): Place {
  return { source, file, under: under.split('.'), shape }
}

export const USER_PLACES: readonly Place[] = [
  place('plugboard', '~/.config/plugboard/mcp.json'),
  place('xcsh', '~/.xcsh/mcp.json'),
  place('oh-my-pi', '~/.omp/agent/mcp.json'),
  place('x-code', '~/.x-code/config.json'),
  place('agent-code', '~/.config/agent-code/config.toml', 'mcp_servers'),
  place('claude-code', '~/.claude.json'),
  place('codex', '~/.codex/config.toml', 'mcp_servers'),
  place('gemini', '~/.gemini/settings.json'),
  place('opencode', '~/.config/opencode/opencode.json', 'mcp', 'opencode'),
  place('copilot', '~/.copilot/mcp-config.json'),
  place('cursor', '~/.cursor/mcp.json'),
  place('windsurf', '~/.codeium/windsurf/mcp_config.json'),
  place('vscode', '~/.config/Code/User/mcp.json', 'servers'),
  place('cline', '~/.cline/data/settings/cline_mcp_settings.json'),
  place('goose', '~/.config/goose/config.yaml', 'extensions', 'goose'),
  place('crush', '~/.config/crush/crush.json', 'mcp'),
  place('claude-desktop', '~/.config/Claude/claude_desktop_config.json'),
  place('plugin', '~/.config/plugboard/plugins/kit/mcp.json'),
]

export const PROJECT_PLACES: readonly Place[] = [
  place('plugboard', './.plugboard/mcp.json'),
  place('plugboard', './.plugboard/settings.toml', 'mcp_servers'),
  place('plugboard', './.plugboard/settings.json'),
  place('xcsh', './.xcsh/mcp.json'),
  place('xcsh', './.xcsh/.mcp.json'),
  place('oh-my-pi', './.omp/mcp.json'),
  place('x-code', './.x-code/config.json'),
  place('agent-code', './.agent/settings.toml', 'mcp_servers'),
  place('agent-code', './.agent/settings.local.toml', 'mcp_servers'),
  place('claude-code', './.claude/settings.json'),
  place('claude-code', './.claude/settings.local.json'),
  place('codex', './.codex/config.toml', 'mcp_servers'),
  place('gemini', './.gemini/settings.json'),
  place('opencode', './opencode.jsonc', 'mcp', 'opencode'),
  place('opencode', './.opencode/opencode.json', 'mcp', 'opencode'),
  place('copilot', './.github/mcp.json'),
  place('cursor', './.cursor/mcp.json'),
  place('vscode', './.vscode/mcp.json', 'servers'),
  place('vscode', './.vscode/settings.json', 'mcp.servers'),
  place('crush', './crush.json', 'mcp'),
  place('crush', './.crush.json', 'mcp'),
  place('mcp-json', './.mcp.json'),
  place('mcp-json', './mcp.json'),
]

/** One entry, in the words of most agents. */
export type Entry = Readonly<Record<string, unknown>>

/** The text of a place with these servers in it. */
export function declare({ file, under, shape }: Place, servers: Readonly<Record<string, Entry>>): string {
  const spelled = Object.entries(servers).map(([name, entry]) => [name, spell(shape, entry)] as const)
  if (file.endsWith('.toml'))
    return spelled.map(([name, entry]) => toToml([...under, name], entry)).join('\n')
  // JSON is YAML, too.
  return JSON.stringify(
    under.reduceRight<object>((map, key) => ({ [key]: map }), Object.fromEntries(spelled)),
  )
}

export function declareAt(place: Place, servers: Readonly<Record<string, Entry>>): Files {
  return { [place.file]: declare(place, servers) }
}

function spell(shape: Shape, entry: Entry): Entry {
  if (!isMap(entry)) return entry
  const { command, args = [], env, url, ...rest } = entry
  if (shape === 'opencode') {
    if (url !== undefined) return { type: 'remote', url, ...rest }
    const words = typeof command === 'string' ? [command, ...(args as string[])] : command
    return { type: 'local', command: words, environment: env, ...rest }
  }
  if (shape === 'goose') {
    if (url !== undefined) return { type: 'streamable_http', uri: url, enabled: true, ...rest }
    return { type: 'stdio', cmd: command, args, envs: env, enabled: true, ...rest }
  }
  return entry
}

/** A table for each map, and one line for anything else. */
function toToml(path: readonly string[], value: unknown): string {
  const keys = path.map((key) => JSON.stringify(key))
  if (!isMap(value)) return `[${keys.slice(0, -1).join('.')}]\n${keys.at(-1)} = ${toTomlValue(value)}\n`
  const pairs = Object.entries(value)
  return [
    `[${keys.join('.')}]`,
    ...pairs
      .filter(([, one]) => !isMap(one))
      .map(([key, one]) => `${JSON.stringify(key)} = ${toTomlValue(one)}`),
    ...pairs.filter(([, one]) => isMap(one)).map(([key, one]) => toToml([...path, key], one)),
    '',
  ].join('\n')
}

function toTomlValue(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toTomlValue).join(', ')}]`
  if (!isMap(value)) return JSON.stringify(value)
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)} = ${toTomlValue(one)}`)
    .join(', ')} }`
}

function isMap(value: unknown): value is Entry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
