/** problems: failures between Plugboard and a model, in the user's words. */
import { describeNetwork, type NetworkFailure } from '../../../model/network.ts'
import type { Problem } from '../../../model/problem.ts'
import { createProblem, createWarning } from '../../../problem/problem.ts'
import { inShell } from '../../../base/in-shell.ts'
import { isObject } from '../../../base/is-object.ts'
import { stripControls } from '../../../base/strip-controls.ts'
import { NOT_WAITED_FOR } from '../../../runtime/board-problems.ts'
import type { ServerReadiness } from '../../../runtime/readiness.ts'
import type { OpenModel } from './agent.ts'

export function noModel(): Problem {
  return createProblem({
    code: 'shell/no-model',
    message: 'no model is configured',
    notes: ['tools, resources and prompts can be used by hand all the same'],
    hints: [
      'set `ANTHROPIC_API_KEY` or `OPENAI_API_KEY`, or name a model with `PLUGBOARD_MODEL=provider/id`',
      'or write `{ "model": { "provider": "openai", "id": "…", "baseUrl": "http://localhost:11434/v1" } }` into `~/.config/plugboard/settings.json`',
    ],
  })
}

export function noPrompt(): Problem {
  return createProblem({
    code: 'shell/no-prompt',
    message: 'there is nothing to answer',
    hints: ['write it in the line, `plugboard run "…"`, or pipe it in, with `-` for stdin beside a prompt'],
  })
}

export function badDeadline(given: string): Problem {
  return createProblem({
    code: 'cli/bad-number',
    message: `\`--deadline\` must be a number of milliseconds, but is \`${given}\``,
  })
}

export function notReady(servers: readonly ServerReadiness[]): Problem {
  return createProblem({
    code: 'connect/not-ready',
    message: `not ready: ${namesOf(servers)}`,
    notes: servers.map(({ name, state, problem }) => `${name}: ${problem?.message ?? state}`),
    hints: servers.slice(0, 1).map(({ name }) => `run \`plugboard test ${inShell(name)}\``),
  })
}

/** No configuration requires these servers, so the session begins without them. */
export function begunWithout(servers: readonly ServerReadiness[]): Problem {
  return createWarning({
    code: 'connect/not-ready',
    message: `begun without ${namesOf(servers)}, which ${servers.length === 1 ? 'is' : 'are'} not ready`,
    notes: servers.map((one) => `${one.name}: ${whyAbsent(one)}`),
    hints: adviseOn(servers),
  })
}

/** For one server, its problem's hints. For several, it would be unclear which server a hint is for. */
function adviseOn([first, ...others]: readonly ServerReadiness[]): readonly string[] {
  const own = others.length === 0 ? first!.problem?.hints[0] : undefined
  return [own ?? `to see how far it comes, run \`plugboard test ${inShell(first!.name)}\``]
}

function whyAbsent({ problem, absence }: ServerReadiness): string {
  if (problem !== undefined) return problem.message
  return absence === 'late' ? NOT_WAITED_FOR : 'not ready yet'
}

function namesOf(servers: readonly ServerReadiness[]): string {
  return servers.map(({ name }) => `\`${name}\``).join(', ')
}

export function badModel(written: string): Problem {
  return createProblem({
    code: 'shell/bad-model',
    message: `\`${written}\` names no model`,
    hints: ['write `anthropic/<id>` or `openai/<id>`; `openai` is any endpoint that speaks like it'],
  })
}

export function noKey(label: string, variable: string): Problem {
  return createProblem({
    code: 'shell/no-key',
    message: `there is no key for \`${label}\``,
    hints: [
      `set \`${variable}\`, or \`model.apiKey\` in your \`settings.json\` to a variable's name or a \`!command\``,
    ],
  })
}

export function tooManySteps(steps: number): Problem {
  return createProblem({
    code: 'shell/too-many-steps',
    message: `the model was asked ${steps} times and still wants to call tools`,
    hints: ['say `go on` to let it'],
  })
}

/** A stream that ended without a final event. */
class BrokenOff extends Error {}

export function brokeOff(): Error {
  return new BrokenOff('the answer broke off')
}

/** What `ai` knows about a response with an error, or a missing one. */
interface ProviderError {
  readonly statusCode?: number | undefined
  readonly isRetryable?: boolean | undefined
  readonly responseBody?: string | undefined
  readonly responseHeaders?: Readonly<Record<string, string>> | undefined
  readonly cause?: unknown
  readonly message: string
}

/** Includes a response that began well, and whose connection broke. */
function isBrokenOff(error: unknown): boolean {
  if (error instanceof BrokenOff) return true
  return isSuccess(toProviderError(error).statusCode) && findNetworkFailure(error) !== undefined
}

function isSuccess(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300
}

export function isWorthAnother(error: unknown): boolean {
  if (isBrokenOff(error)) return true
  const { statusCode, isRetryable } = toProviderError(error)
  return statusCode === undefined
    ? isRetryable === true || findNetworkFailure(error) !== undefined
    : isRetryable === true
}

/** In milliseconds; undefined when the provider did not say. */
export function waitAskedFor(error: unknown): number | undefined {
  const { responseHeaders = {} } = toProviderError(error)
  const ms = Number(responseHeaders['retry-after-ms'] ?? Number.NaN)
  if (ms >= 0) return ms
  const seconds = Number(responseHeaders['retry-after'] ?? Number.NaN)
  return seconds >= 0 ? seconds * 1000 : undefined
}

export function toModelProblem(error: unknown, { label, baseUrl }: OpenModel): Problem {
  const { statusCode, message, responseBody } = toProviderError(error)
  const said = quote(saidIn(responseBody) ?? message)
  if (isBrokenOff(error)) return modelProblem('broke-off', `the answer of \`${label}\` broke off`, [])
  if (statusCode === undefined || isSuccess(statusCode)) {
    const failure = findNetworkFailure(error)
    return failure === undefined
      ? modelProblem('bad-answer', `\`${label}\` answered with something that is no answer`, [said])
      : modelProblem('unreachable', `\`${label}\` cannot be reached: ${describeNetwork(failure)}`, [
          `asked at ${baseUrl}`,
        ])
  }
  const facts = [`HTTP ${statusCode} from ${baseUrl}`, said]
  if (statusCode === 401 || statusCode === 403)
    return {
      ...modelProblem('refused', `\`${label}\` refuses the key`, facts),
      hints: ['look at `model.apiKey`, or at the variable it comes from'],
    }
  if (statusCode === 404)
    return {
      ...modelProblem('unknown-model', `nobody knows \`${label}\` there`, facts),
      hints: ['name another one with `/model provider/id`'],
    }
  if (statusCode === 429) return modelProblem('busy', `\`${label}\` asks us to wait`, facts)
  if (statusCode >= 500) return modelProblem('failed', `\`${label}\` failed`, facts)
  return {
    ...modelProblem('bad-request', `\`${label}\` does not take this conversation`, facts),
    hints: ['if it has become too long, begin a new one with `/clear`'],
  }
}

function modelProblem(code: string, message: string, notes: readonly string[]): Problem {
  return createProblem({ code: `shell/model-${code}`, message, notes: notes.filter((note) => note !== '') })
}

function toProviderError(error: unknown): ProviderError {
  if (isObject(error) && typeof error['message'] === 'string') return error as unknown as ProviderError
  return { message: String(error) }
}

/** At any place in the chain of causes. */
function findNetworkFailure(error: unknown): NetworkFailure | undefined {
  for (let one = error; isObject(one); one = one['cause']) {
    const { code, message } = one
    if (typeof code === 'string' && NETWORK_CODE.test(code)) return { code, message: String(message) }
  }
  return undefined
}

const NETWORK_CODE = /^(?:E[A-Z]+|UND_ERR_\w+|CERT_\w+|DEPTH_\w+|SELF_SIGNED\w*)$/

function saidIn(body: string | undefined): string | undefined {
  if (body === undefined || body === '') return undefined
  try {
    const json: unknown = JSON.parse(body)
    const error = isObject(json) ? json['error'] : undefined
    const message = isObject(error) ? error['message'] : error
    return typeof message === 'string' ? message : body
  } catch {
    return body // no JSON: show the text itself
  }
}

const LONGEST = 300

/** Text of a remote: without control characters, on one line, shortened. */
function quote(text: string): string {
  const line = stripControls(text).replace(/\s+/g, ' ').trim()
  return line === '' ? '' : `it says: ${line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line}`
}

export function badPromptWords(command: string, missing: readonly string[]): Problem {
  return createProblem({
    code: 'shell/bad-prompt',
    message: `\`/${command}\` needs ${missing.map((name) => `\`${name}\``).join(', ')}`,
    hints: [`write \`/${command} ${missing.map((name) => `${name}=…`).join(' ')}\``],
  })
}

export function promptFailed(command: string, words: string): Problem {
  return createProblem({
    code: 'shell/prompt-failed',
    message: `\`/${command}\` could not be filled in`,
    notes: [`it said: "${stripControls(words).replace(/\s+/g, ' ').slice(0, 300)}"`],
  })
}

export function unreadableMention(mention: string, words: string): Problem {
  return createProblem({
    code: 'shell/unreadable-mention',
    message: `\`${mention}\` could not be read, so nothing was sent`,
    notes: [`it said: "${stripControls(words).replace(/\s+/g, ' ').slice(0, 300)}"`],
  })
}

export function unknownCommand(name: string, nearest: string | undefined): Problem {
  return createProblem({
    code: 'shell/unknown-command',
    message: `there is no command \`/${name}\``,
    hints: [
      ...(nearest === undefined ? [] : [`did you mean \`/${nearest}\`?`]),
      'to see all commands, type `/help`',
    ],
  })
}

/** For the word after `/mcp`. */
export function unknownBelow(word: string, nearest: string | undefined): Problem {
  return createProblem({
    code: 'shell/unknown-command',
    message: `\`/mcp\` has no command \`${word}\``,
    hints: [
      ...(nearest === undefined ? [] : [`did you mean \`/mcp ${nearest}\`?`]),
      'to see all of them, type `/help mcp`',
    ],
  })
}

export function noTerminal(): Problem {
  return createProblem({
    code: 'shell/no-terminal',
    message: 'the shell needs a terminal, and there is none',
    hints: ['for one prompt without a terminal: `plugboard run "…"`', 'to see the servers: `plugboard list`'],
  })
}
