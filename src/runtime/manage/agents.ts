/**
 * agents: which agent a name means, among those whose servers can be imported or exported.
 */
import { WRITERS, type WritableSource } from '../../edit/dialects/all-writers.ts'
import { ProblemError } from '../../problem/problem.ts'
import { unknownAgent } from './transfer-problems.ts'

export type Agent = Exclude<WritableSource, 'plugboard'>

export const AGENTS: readonly Agent[] = (Object.keys(WRITERS) as WritableSource[]).filter(
  (source) => source !== 'plugboard',
)

/** Other names that users type for them. */
const OTHER_NAMES: Readonly<Record<string, Agent>> = {
  claude: 'claude-code',
  'gemini-cli': 'gemini',
  'copilot-cli': 'copilot',
  omp: 'oh-my-pi',
  code: 'vscode',
  'vs-code': 'vscode',
  '.mcp.json': 'mcp-json',
}

/** Throws `manage/unknown-agent`. */
export function requireAgent(given: string): Agent {
  const word = given.toLowerCase()
  const agent =
    AGENTS.find((one) => one === word) ?? (Object.hasOwn(OTHER_NAMES, word) ? OTHER_NAMES[word] : undefined)
  if (agent === undefined) throw new ProblemError(unknownAgent(given, AGENTS))
  return agent
}
