/**
 * read-for-model: turns a resource or a prompt into the result of a tool.
 *
 * in     what the server answered
 * out    its content, in order; images and audio as such
 * never  drops a part; a malformed answer is the server's failure
 */
import { isObject } from '../base/is-object.ts'
import { variablesOf } from '../base/uri-template.ts'
import type { Params, Result } from '../model/message.ts'
import type { Offering } from '../model/offering.ts'
import { SessionError } from '../model/session.ts'

export async function readResource(
  request: (params: Params) => Promise<Result>,
  uri: string,
  offering: Offering | undefined,
): Promise<Result> {
  const isTemplate = offering?.resourceTemplates.some((one) => one['uriTemplate'] === uri) === true
  const variables = isTemplate ? variablesOf(uri) : []
  if (variables.length > 0) {
    const names = variables.map(({ name }) => `{${name}}`).join(', ')
    return fail(`this is a template, and not yet a URI: replace ${names} in it, and read it again`)
  }
  const { contents } = await request({ uri })
  if (!Array.isArray(contents)) throw badAnswer('its answer to `resources/read` holds no `contents`')
  return { content: contents.length === 0 ? [say('(it is empty)')] : contents.map(toContent) }
}

/** Images and audio keep their type, so that a host that can show them does. Everything else stays as it came. */
function toContent(content: unknown): unknown {
  if (!isObject(content)) return { type: 'text', text: JSON.stringify(content) }
  const { mimeType, blob } = content
  const kind = typeof mimeType === 'string' ? /^(?:image|audio)(?=\/)/.exec(mimeType)?.[0] : undefined
  if (kind !== undefined && typeof blob === 'string') return { type: kind, mimeType, data: blob }
  return { type: 'resource', resource: content }
}

export function getPrompt({ messages }: Result): Result {
  if (!Array.isArray(messages)) throw badAnswer('its answer to `prompts/get` holds no `messages`')
  return { content: messages.length === 0 ? [say('(it is empty)')] : messages.flatMap(toSpoken) }
}

/** Puts the role of the speaker before the message. */
function toSpoken(message: unknown): readonly unknown[] {
  const { role, content } = isObject(message) ? message : {}
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content]
  return parts.flatMap((part) => {
    if (!isObject(part)) return [say(`${String(role)}: ${JSON.stringify(part) ?? ''}`)]
    if (part['type'] === 'text') return [{ ...part, text: `${String(role)}: ${String(part['text'])}` }]
    return [say(`${String(role)}:`), part]
  })
}

export function say(text: string): { readonly type: 'text'; readonly text: string } {
  return { type: 'text', text }
}

/** An error in words that a model can act on. */
export function fail(text: string): Result {
  return { content: [say(text)], isError: true }
}

function badAnswer(message: string): SessionError {
  return new SessionError({ kind: 'bad-answer', message })
}
