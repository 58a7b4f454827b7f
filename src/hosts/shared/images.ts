/**
 * images: those of a result that a model can be shown.
 */
import type { Media, ToolResult } from '../../model/outcome.ts'

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export interface Image extends Media {
  readonly mimeType: (typeof IMAGE_TYPES)[number]
}

/** Those that every provider can see. One of another type, or that is no base64, would have the whole request refused; the text names it all the same. */
export function imagesOf({ media }: Pick<ToolResult, 'media'>): readonly Image[] {
  return media.filter(isImage)
}

function isImage(one: Media): one is Image {
  return IMAGE_TYPES.some((type) => type === one.mimeType) && BASE64.test(one.data)
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
