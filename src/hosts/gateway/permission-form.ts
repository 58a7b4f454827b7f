/**
 * permission-form: asks the user, through a form of the client, about calls that the rules do not decide.
 */
import { toPrintable } from '../../base/printable.ts'
import type { Params, Result } from '../../model/message.ts'
import type { Answer, Ask, PinDiff, Question } from '../../model/permission.ts'
import { NO_COLORS } from '../shared/paint.ts'
import { showPinDiff } from '../shared/show-pin-diff.ts'
import { canBeAsked } from './caller.ts'
import type { OpenRequest } from './open-request.ts'
import { isOwner } from './principal.ts'

/** Undefined for a client that cannot be asked: it gets a denial that says how to allow the call. */
export function askBy(request: OpenRequest): Ask | undefined {
  if (!canBeAsked(request.caller.capabilities, 'elicitation/create')) return undefined
  return async (question, { signal }) => {
    // A remembered answer applies to all clients, so only the owner of the gateway may give one.
    const isMine = isOwner(request.caller.sighting?.begun.principal)
    const choices = question.canRemember && isMine ? REMEMBERED : ONCE
    const form = toForm(question, choices)
    const answer = toAnswer(await request.ask('elicitation/create', form, signal), choices)
    if (answer === 'once') request.markPermitted()
    return answer
  }
}

type Choices = typeof ONCE | typeof REMEMBERED

function toForm(question: Question, choices: Choices): Params {
  return {
    mode: 'form',
    message: messageOf(question),
    requestedSchema: {
      type: 'object',
      properties: {
        decision: {
          type: 'string',
          title: 'May it be called?',
          oneOf: choices.map(([value, title]) => ({ const: value, title })),
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

/** A user reads no more of the arguments than this. */
const SHOWN_LENGTH = 500

/** A user reads no more lines of a difference than this. */
const SHOWN_LINES = 40

function messageOf({ server, tool, arguments: args, diff, description }: Question): string {
  const shown = toPrintable(JSON.stringify(args ?? {})).slice(0, SHOWN_LENGTH)
  const changed = diff === undefined ? [] : ['It is not what you approved before:', ...changeLines(diff)]
  return [
    `Plugboard: may \`${toPrintable(tool)}\` of \`${toPrintable(server)}\` be called with ${shown}?`,
    ...changed,
    ...(description === undefined
      ? []
      : [`It says of itself: ${toPrintable(description).slice(0, SHOWN_LENGTH)}`]),
  ].join('\n')
}

function changeLines(diff: PinDiff): readonly string[] {
  const lines = showPinDiff(diff, NO_COLORS)
  const rest = lines.length - SHOWN_LINES
  return rest <= 0 ? lines : [...lines.slice(0, SHOWN_LINES), `  and ${rest} more lines: plugboard pins diff`]
}

/** A choice that the form did not offer is no answer. */
function toAnswer({ action, content }: Result, choices: Choices): Answer {
  if (action !== 'accept') return 'no'
  const { decision } = (content ?? {}) as { readonly decision?: unknown }
  return choices.map(([value]) => value).find((value) => value === decision) ?? 'no'
}
