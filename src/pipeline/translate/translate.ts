/**
 * translate: turns the outcome of a call into what a host gives its model, or shows.
 *
 * in     the outcome, the tool, and the limit of text for a model
 * out    text with a prefix for the failure, media beside it, and everything the server sent
 * never  throws because of what a server sent; passes a control character to a terminal
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
      // After the server's own words, because the server knows best why it failed.
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

/** The tool, or a check before it, refuses the call: the model can react. */
const ERROR = 'Error: '
/** The connection to the tool failed. */
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

/** Many servers write the prefix themselves. */
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
