/**
 * join-roots: the roots of several clients, each folder once. Clients that do not answer are left out.
 *
 * never  rejects, unless all of them do: then as the first
 */
import type { Params } from '../model/message.ts'

export async function joinRoots(asked: readonly Promise<readonly Params[]>[]): Promise<readonly Params[]> {
  const answers = await Promise.allSettled(asked)
  const lists = answers.filter((one) => one.status === 'fulfilled')
  const [first] = answers
  if (lists.length === 0 && first?.status === 'rejected') throw first.reason
  const byUri = new Map<unknown, Params>()
  for (const root of lists.flatMap(({ value }) => value)) {
    if (!byUri.has(root['uri'])) byUri.set(root['uri'], root)
  }
  return [...byUri.values()]
}
