/**
 * images: the images of a result that a model can see.
 */
import type { Media, ToolResult } from '../../model/outcome.ts'

const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const

export interface Image extends Media {
  readonly mimeType: (typeof IMAGE_TYPES)[number]
}

/**
 * Types that every provider accepts. A provider rejects a whole request with another type or without valid base64. The
 * text names such an image anyway.
 */
export function imagesOf({ media }: Pick<ToolResult, 'media'>): readonly Image[] {
  return media.filter(isImage)
}

function isImage(one: Media): one is Image {
  return IMAGE_TYPES.some((type) => type === one.mimeType) && BASE64.test(one.data)
}

const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
