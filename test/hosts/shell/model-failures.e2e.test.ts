/** A model that cannot be asked: shown plainly, asked again where that may help, and the session goes on. */
import { describe, expect, it } from 'vitest'
import type { ModelProvider } from '../../../src/model/settings.ts'
import type { Script } from '../../servers/http/streaming-model.ts'
import { openStage } from './stage.ts'

const fine: Script = { kind: 'text', text: 'Here I am.' }

describe.each<ModelProvider>(['openai', 'anthropic'])('a model of %s that fails', (provider) => {
  it('is asked again after 429, which is shown', async () => {
    const busy: Script = {
      kind: 'status',
      status: 429,
      headers: { 'retry-after-ms': '10', 'retry-after': '0' },
    }
    await using stage = await openStage({ provider, script: [busy, fine] })
    await stage.screen.until('no servers')
    const seen = await stage.screen.do('hello\r', 'Here I am.')
    expect(seen).toMatch(/· .*\/scripted.*; it is asked again/)
    expect(stage.model.requests).toHaveLength(2)
  })

  it.each<[string, Script, RegExp]>([
    [
      '500, time and again',
      { kind: 'status', status: 500, headers: { 'retry-after': '0' } },
      /error: [^]*HTTP 500/,
    ],
    ['a refusal', { kind: 'status', status: 401 }, /error: /],
    ['a stream that is cut', { kind: 'cut', text: 'So far so' }, /So far so[^]*error: /],
    ['what is no answer', { kind: 'garbage' }, /error: /],
  ])('has %s shown, and the next prompt is answered', async (_, failure, shown) => {
    let isOver = false
    const step: Script = () =>
      isOver ? { kind: 'text', text: 'Here I am.' } : typeof failure === 'function' ? fine : failure
    await using stage = await openStage({ provider, script: Array.from({ length: 9 }, () => step as Script) })
    const { screen } = stage
    await screen.until('no servers')
    await screen.do('hello\r', shown)
    await screen.untilGone(/Esc stops/)
    isOver = true
    await screen.do('once more\r', 'Here I am.')
  })

  it('is nowhere: the session goes on without it', async () => {
    await using stage = await openStage({ provider, script: [] })
    await stage.model[Symbol.asyncDispose]()
    const { screen } = stage
    await screen.until('no servers')
    await screen.do('hello\r', /cannot be reached[^]*it is asked again/)
    await screen.do('\u001b', 'stopped')
    await screen.do('/help\r', '/quit')
  })
})
