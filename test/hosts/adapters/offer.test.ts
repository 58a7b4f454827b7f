/**
 * offer: what the adapters have in common.
 */
import { expect, test } from 'vitest'
import { imagesOf } from '../../../src/hosts/shared/images.ts'
import type { Media } from '../../../src/model/outcome.ts'

test('images are sent when every provider can see them, and no other can spoil the request', () => {
  const image = (data: string, mimeType = 'image/png'): Media => ({ kind: 'image', mimeType, data })
  const good = [image('iVBORw0KGgo='), image('AAAA', 'image/webp')]
  const bad = [
    image('AAAA', 'image/svg+xml'),
    image(''),
    image('not base64!'),
    image('data:image/png;base64,AAAA'),
    image('iVBORw0K\nGgo='),
    { ...image('AAAA'), kind: 'audio' as const, mimeType: 'audio/wav' },
  ]
  expect(imagesOf({ media: [...bad, ...good] })).toEqual(good)
})
