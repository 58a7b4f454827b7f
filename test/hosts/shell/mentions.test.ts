/** Resources in a prompt: `@server:uri`, read by a real board from a real server. */
import { describe, expect, it } from 'vitest'
import { expandMentions } from '../../../src/hosts/shell/mentions.ts'
import { allowAll } from '../../boards/permits.ts'
import { openSession, type TestSession } from './session.ts'

async function open(): Promise<TestSession> {
  const session = await openSession({ permit: allowAll })
  await session.type('/demo')
  await session.type('/call demo write_note title=plan text="buy milk"')
  return session
}

describe('a mention', () => {
  it('is read, once, and stands behind the prompt', async () => {
    await using session = await open()
    const prompt = 'What does @demo:note:///plan say? (@demo:note:///plan, I mean.)'
    const { text, problems } = await expandMentions(session.context.board, prompt)
    expect(problems).toEqual([])
    expect(text.startsWith(`${prompt}\n\n<resource server="demo" uri="note:///plan">\n`)).toBe(true)
    expect(text).toContain('buy milk')
    expect(text.split('<resource ')).toHaveLength(2)
  })

  it('of a server that is none is text', async () => {
    await using session = await open()
    for (const prompt of ['mail ada@demo:x', '@nobody:note:///plan', 'plain'])
      expect(await expandMentions(session.context.board, prompt)).toEqual({ text: prompt, problems: [] })
  })

  it('that cannot be read stays as it is, and is told', async () => {
    await using session = await open()
    const { text, problems } = await expandMentions(session.context.board, 'see @demo:note:///none')
    expect(text).toBe('see @demo:note:///none')
    expect(problems).toMatchObject([{ code: 'shell/mention', severity: 'warning' }])
    await session.type('/plan')
    const planned = await expandMentions(session.context.board, 'see @demo:note:///plan')
    expect(planned.text).toBe('see @demo:note:///plan')
    expect(planned.problems).toHaveLength(1)
  })
})
