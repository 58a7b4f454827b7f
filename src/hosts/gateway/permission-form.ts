/**
 * permission-form: what the rules leave to a person, as a form that a client can show.
 */
import { toPrintable } from '../../base/printable.ts'
import type { Params, Result } from '../../model/message.ts'
import type { Answer, Ask, Question } from '../../model/permission.ts'
import { canBeAsked } from './caller.ts'
import type { OpenRequest } from './open-request.ts'

/** Undefined for a client that cannot be asked: it gets a denial that says how to allow it. */
export function askBy(request: OpenRequest): Ask | undefined {
  if (!canBeAsked(request.caller.capabilities, 'elicitation/create')) return undefined
  return async (question, { signal }) => {
    const answer = toAnswer(await request.ask('elicitation/create', toForm(question), signal))
    if (answer === 'once') request.markPermitted()
    return answer
  }
}

function toForm(question: Question): Params {
  const answers = question.canRemember ? REMEMBERED : ONCE
  return {
    mode: 'form',
    message: messageOf(question),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'May it be called?',
          oneOf: answers.map(([value, title]) => ({ const: value, title })),
        },
      },
      required: ['decision'],
    },
  }
}

const ONCE = [
  ['once', 'Yes, this once'],
  ['no', 'No'],
] as const

const REMEMBERED = [
  ['once', 'Yes, this once'],
  ['session', 'Yes, until Plugboard ends'],
  ['always', 'Yes, always'],
  ['no', 'No'],
] as const

/** As much of the arguments as a person will read. */
const SHOWN_LENGTH = 500

function messageOf({ server, tool, arguments: args, why, description }: Question): string {
  const shown = toPrintable(JSON.stringify(args ?? {})).slice(0, SHOWN_LENGTH)
  const changed = why.kind === 'pin' ? ['It is not what you approved before.'] : []
  return [
    `Plugboard: may \`${toPrintable(tool)}\` of \`${toPrintable(server)}\` be called with ${shown}?`,
    ...changed,
    ...(description === undefined
      ? []
      : [`It says of itself: ${toPrintable(description).slice(0, SHOWN_LENGTH)}`]),
  ].join('\n')
}

function toAnswer({ action, content }: Result): Answer {
  if (action !== 'accept') return 'no'
  const { decision } = (content ?? {}) as { readonly decision?: unknown }
  return decision === 'once' || decision === 'session' || decision === 'always' ? decision : 'no'
}
