/**
 * translate: a call's outcome → what a host gives its model, or shows.
 *
 * in     the outcome, whose tool it was, how much text a model may get
 * out    text with the prefix of what went wrong, media beside it, and everything the server sent
 * never  throws at what a server sent; lets a control character through to a terminal
 */
import { stripControls } from '../../base/strip-controls.ts'
import { FINDINGS_INTRO, type CallOutcome, type ResultDetails, type ToolResult } from '../../model/outcome.ts'
import type { Result } from '../../model/message.ts'
import { fit, type Budget, type Fitted } from './budget.ts'
import { render } from './content.ts'

export interface About {
  readonly details: Omit<ResultDetails, 'savedTo' | 'isCut'>
  readonly durationMs: number
  readonly budget: Budget
}

export function translate(outcome: CallOutcome, about: About): ToolResult {
  switch (outcome.kind) {
    case 'done':
      return ofResult('done', outcome.result, about)
    case 'tool-error': {
      const result = ofResult('tool-error', outcome.result, about)
      const { findings } = outcome
      if (findings === undefined) return result
      // After the words of the server, which knows best why it failed.
      return { ...result, text: [result.text, FINDINGS_INTRO, ...findings].join('\n'), findings }
    }
    case 'not-sent':
      return {
        ...ofProblem(outcome, about, PREFIXES[outcome.code]),
        code: outcome.code,
      }
    case 'failed': {
      const { findings } = outcome
      const result = ofProblem(outcome, about, MCP_ERROR)
      return findings === undefined ? result : { ...result, findings }
    }
    case 'unknown':
    case 'aborted':
      return ofProblem(outcome, about, MCP_ERROR)
  }
}

/** The tool, or what stands before it, says no: the model can do something about it. */
const ERROR = 'Error: '
/** The way to the tool is broken. */
const MCP_ERROR = 'MCP error: '

const PREFIXES = {
  denied: ERROR,
  'bad-arguments': ERROR,
  'loop-guard': ERROR,
  'unknown-tool': ERROR,
  'not-connected': MCP_ERROR,
} as const

function ofResult(outcome: 'done' | 'tool-error', result: Result, about: About): ToolResult {
  const { content, structuredContent } = result
  const { text, media } = render(result)
  const isError = outcome === 'tool-error'
  const shown = fit(isError ? withPrefix(text) : text, about.budget)
  const answer: ToolResult = {
    outcome,
    text: shown.text,
    isError,
    media,
    content: Array.isArray(content) ? (content as readonly unknown[]) : [],
    result,
    details: withPlace(about.details, shown),
    durationMs: about.durationMs,
  }
  return structuredContent === undefined ? answer : { ...answer, structuredContent }
}

function withPlace(details: ResultDetails, shown: Fitted): ResultDetails {
  if (!shown.isCut) return details
  const { savedTo } = shown
  return { ...details, isCut: true, ...(savedTo === undefined ? {} : { savedTo }) }
}

/** Many servers begin that way by themselves. */
function withPrefix(text: string): string {
  return text.startsWith(ERROR) ? text : ERROR + text
}

function ofProblem(
  failure: Exclude<CallOutcome, { kind: 'done' | 'tool-error' }>,
  { details, durationMs }: About,
  prefix: string,
): ToolResult {
  const { kind: outcome, problem } = failure
  const { message, notes, hints } = problem
  const error = 'error' in failure && failure.error !== undefined ? { error: failure.error } : {}
  const text = stripControls([`${prefix}${message}`, ...notes, ...hints].join('\n'))
  return { outcome, text, isError: true, media: [], content: [], ...error, details, durationMs, problem }
}
