/**
 * complete: suggests values for an argument of a prompt, or for a variable of a resource template.
 *
 * in     the prompt or template, the text so far, and the arguments that have values
 * out    values as the server suggests them; none when the server does not offer completions
 */
import { isObject } from '../base/is-object.ts'
import { RPC_CODES, type Params } from '../model/message.ts'
import { SessionError, type RequestOptions, type Session } from '../model/session.ts'

/** A prompt by name, or a template as the server lists it. */
export type CompletionRef = { readonly server: string } & (
  | { readonly prompt: string }
  | { readonly template: string }
)

export interface CompletionArgument {
  readonly name: string
  /** The text so far. */
  readonly value: string
}

export interface CompletionContext extends Pick<RequestOptions, 'signal' | 'timeoutMs'> {
  /** The arguments that have values, by name. */
  readonly arguments?: Readonly<Record<string, string>> | undefined
}

export interface Completion {
  readonly values: readonly string[]
  /** The number of all values, when the server gives it. */
  readonly total?: number
  readonly hasMore?: boolean
}

const NONE: Completion = { values: [] }

/** Rejects with a SessionError. */
export async function complete(
  session: Session,
  params: Params,
  options: RequestOptions,
): Promise<Completion> {
  if (!mayOffer(session)) return NONE
  try {
    const { completion } = await session.request('completion/complete', params, options)
    return toCompletion(completion)
  } catch (error) {
    if (isUnknownMethod(error)) return NONE
    throw error
  }
}

export function toCompletionParams(
  ref: CompletionRef,
  { name, value }: CompletionArgument,
  context: CompletionContext,
): Params {
  return {
    ref:
      'prompt' in ref
        ? { type: 'ref/prompt', name: ref.prompt }
        : { type: 'ref/resource', uri: ref.template },
    argument: { name, value },
    ...(context.arguments === undefined ? {} : { context: { arguments: context.arguments } }),
  }
}

/** The oldest revision has the method, but no capability for it. */
function mayOffer({ hello: { version, capabilities } }: Session): boolean {
  return version === '2024-11-05' || (capabilities['completions'] ?? false) !== false
}

function isUnknownMethod(error: unknown): boolean {
  if (!(error instanceof SessionError) || error.failure.kind !== 'rpc') return false
  return error.failure.error.code === RPC_CODES.methodNotFound
}

function toCompletion(completion: unknown): Completion {
  if (!isObject(completion) || !Array.isArray(completion['values'])) {
    const message = 'its answer to `completion/complete` holds no `values`'
    throw new SessionError({ kind: 'bad-answer', message })
  }
  const { values, total, hasMore } = completion
  return {
    values: (values as readonly unknown[]).filter((value) => typeof value === 'string'),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof hasMore === 'boolean' ? { hasMore } : {}),
  }
}
