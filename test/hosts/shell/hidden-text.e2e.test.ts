/**
 * hidden-text: what a server says reaches the screen of a session without characters that move text, hide in it or
 * command the terminal.
 */
import { expect, test } from 'vitest'
import { serverEntry } from '../../boards/open.ts'
import { PRESS, type Screen } from '../../processes/screen.ts'
import { call, openStage } from './stage.ts'

/** Of our own sequences, none is followed by the letter that the server put behind its own. */
// oxlint-disable-next-line no-control-regex
const HIDDEN = /\u001b\[31mj|[\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u{e0000}-\u{e007f}]/u

function expectNothingHidden(screen: Screen): void {
  expect(HIDDEN.exec(screen.raw())?.[0]).toBeUndefined()
}

test('no command of a session shows them', async () => {
  await using stage = await openStage({ servers: { hides: serverEntry('hides-text') } })
  const { screen } = stage
  await screen.until('1 ready')
  for (const [line, shown] of [
    ['/mcp tools hides', String.raw`description a\u{202e}b`],
    ['/mcp resources', String.raw`x://a\u{202e}b`],
    ['/mcp prompts hides', String.raw`description a\u{202e}b`],
    ['/mcp test hides', 'ready in'],
    ['/call hides tells', String.raw`a\u{202e}b`],
    ['/call hides fails', 'Error'],
    ['/call hides refuses', String.raw`refused a\u{202e}b`],
    // Written by then: what `/mcp test` started has ended.
    ['/mcp logs hides', String.raw`a\u{202e}b`],
  ] as const) {
    screen.type(`${line}${PRESS.enter}`)
    await screen.until(shown)
    await screen.do('/clear\r', '(ask something')
    expectNothingHidden(screen)
  }
  // What is offered behind a word is of the server as well.
  await screen.do(`/call hides tells ${PRESS.tab}`, 'x')
  expectNothingHidden(screen)
})

test('no question of a server, and none about a call, shows them', async () => {
  await using stage = await openStage({
    servers: { hides: serverEntry('hides-text') },
    script: [call('mcp__hides__asks'), { kind: 'text', text: 'Done.' }],
  })
  const { screen } = stage
  await screen.until('1 ready')
  await screen.do(`go${PRESS.enter}`, 'May asks of hides be called?')
  await screen.do('1', String.raw`message a\u{202e}b`)
  await screen.do(PRESS.escape, 'Done.')
  expect(screen.text()).toContain('answered cancel')
  expectNothingHidden(screen)
})
