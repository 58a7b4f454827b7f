/** Resources in a prompt: `@server:uri`, read by a real board from a real server. */
import { describe, expect, it } from 'vitest'
import { addMentions } from '../../../src/hosts/shell/mentions.ts'
import { allowAll } from '../../boards/permits.ts'
import { openSession, type TestSession } from './open-session.ts'

async function open(): Promise<TestSession> {
  const session = await openSession({ permit: allowAll })
  await session.type('/demo')
  await session.type('/call demo write_note title=plan text="buy milk"')
  return session
}

const expand = ({ context: { board, signal } }: TestSession, prompt: string): Promise<string> =>
  addMentions(board, prompt, signal)

describe('a mention', () => {
  it('is read, once, and stands behind the prompt', async () => {
    await using session = await open()
    const prompt = 'What does @demo:note:///plan say? And @demo:note:///plan, again?'
    const text = await expand(session, prompt)
    expect(text.startsWith(`${prompt}\n\nResource note:///plan of demo:\n`)).toBe(true)
    expect(text.match(/buy milk/g)).toHaveLength(1)
  })

  it('of a server that is none is text', async () => {
    await using session = await open()
    for (const prompt of ['mail ada@demo:x', '@nobody:note:///plan', '@demo', 'plain'])
      expect(await expand(session, prompt)).toBe(prompt)
  })

  it('that cannot be read is told, and nothing is sent; nor is it read in plan mode', async () => {
    await using session = await open()
    await expect(expand(session, 'see @demo:note:///none')).rejects.toThrow()
    await session.type('/plan')
    await expect(expand(session, 'see @demo:note:///plan')).rejects.toThrow(/plan mode/)
  })
})
