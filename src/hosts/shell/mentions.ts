/**
 * mentions: resources that a prompt names as `@server:uri`, read and put behind it.
 *
 * in     a prompt as it was typed
 * out    the prompt with what the resources say, as a model would get it by reading them; and what could not be read
 * never  reads what is denied; takes an address or a name for a mention when there is no such server
 */
import type { Problem } from '../../model/problem.ts'
import { createProblem } from '../../problem/problem.ts'
import type { Board } from '../../runtime/board.ts'

type MentionBoard = Pick<Board, 'snapshot' | 'call'>

export interface Expanded {
  readonly text: string
  readonly problems: readonly Problem[]
}

interface Mention {
  readonly server: string
  readonly uri: string
}

export async function expandMentions(
  board: MentionBoard,
  text: string,
  { signal }: { readonly signal?: AbortSignal | undefined } = {},
): Promise<Expanded> {
  const read = await Promise.all(findMentions(board, text).map((one) => readMention(board, one, signal)))
  return {
    text: [text, ...read.flatMap(({ attached }) => attached ?? [])].join('\n\n'),
    problems: read.flatMap(({ problem }) => problem ?? []),
  }
}

/** Each once. */
function findMentions(board: MentionBoard, text: string): readonly Mention[] {
  const servers = new Map(board.snapshot().servers.map((one) => [one.name, one]))
  const found = new Map<string, Mention>()
  for (const [, name, written] of text.matchAll(/(?<=^|\s)@([^\s:@]+):(\S+)/g)) {
    const server = servers.get(name!)
    if (server === undefined) continue
    const known = (server.offering?.resources ?? []).map(({ uri }) => uri)
    const uri = known.includes(written!) ? written! : written!.replace(/[.,;:!?)\]}'"]+$/, '')
    found.set(`${name} ${uri}`, { server: name!, uri })
  }
  return [...found.values()]
}

async function readMention(
  board: MentionBoard,
  { server, uri }: Mention,
  signal: AbortSignal | undefined,
): Promise<{ readonly attached?: string; readonly problem?: Problem }> {
  const result = await board.call('readMcpResource', { server, uri }, { who: 'person', signal })
  if (!result.isError)
    return { attached: `<resource server="${server}" uri="${uri}">\n${result.text}\n</resource>` }
  const message = `\`@${server}:${uri}\` could not be read, and is sent as it stands`
  const notes = [result.problem?.message ?? result.text.split('\n', 1)[0]!, ...(result.problem?.notes ?? [])]
  return {
    problem: createProblem({
      severity: 'warning',
      code: 'shell/mention',
      message,
      notes,
      hints: [`to see what there is to read, type \`/mcp resources ${server}\``],
    }),
  }
}

/** No more than fit on a screen. */
const MOST = 50

/** What may stand in place of a word that begins with `@`. */
export function completeMention(board: Pick<Board, 'snapshot'>, word: string): readonly string[] {
  if (!word.startsWith('@')) return []
  const all = board
    .snapshot()
    .servers.flatMap(({ name, offering }) =>
      (offering?.resources ?? []).map(({ uri }) => `@${name}:${String(uri)}`),
    )
  const begun = all.filter((one) => one.startsWith(word))
  if (begun.length > 0) return begun.slice(0, MOST)
  // By the end of a long address, too.
  const part = word.slice(1).toLowerCase()
  return all.filter((one) => one.toLowerCase().includes(part)).slice(0, MOST)
}
