/**
 * mentions: reads the resources that a prompt names as `@server:uri`, and appends them.
 *
 * in     a prompt as typed
 * out    the prompt with its mentioned resources; the same text where it mentions none
 */
import { ProblemError } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'
import { unreadableMention } from './agent/problems.ts'

/** Rejects with a ProblemError when one cannot be read: otherwise the model would guess its content. */
export async function addMentions(board: Board, prompt: string, signal: AbortSignal): Promise<string> {
  const mentions = findMentions(
    prompt,
    board.snapshot().servers.map(({ name }) => name),
  )
  const parts = await Promise.all(
    mentions.map(async ({ server, uri }) => {
      const { text, isError, problem } = await board.call(
        'readMcpResource',
        { server, uri },
        { who: 'person', signal },
      )
      if (isError) throw new ProblemError(problem ?? unreadableMention(`@${server}:${uri}`, text))
      return `Resource ${uri} of ${server}:\n${text}`
    }),
  )
  return [prompt, ...parts].join('\n\n')
}

export interface Mention {
  readonly server: string
  readonly uri: string
}

/** Without the name of a server it is no mention: users write `@` for other reasons. */
export function findMentions(prompt: string, servers: readonly string[]): readonly Mention[] {
  const found = [...prompt.matchAll(/(?<=^|\s)@(\S+)/g)].flatMap(([, word = '']) => {
    const server = servers.find((name) => word.startsWith(`${name}:`))
    const uri = server === undefined ? '' : word.slice(server.length + 1).replace(/[.,;!?)]+$/, '')
    return server === undefined || uri === '' ? [] : [{ server, uri }]
  })
  return found.filter(
    (one, i) => found.findIndex(({ server, uri }) => server === one.server && uri === one.uri) === i,
  )
}
