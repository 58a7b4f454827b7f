/**
 * content: turns a tool's answer into one text in its own order, and the media in it.
 *
 * in     the result as the server sent it, in any form
 * out    text without control characters; each image and sound beside it, and named in it
 * never  throws; turns images or sound into text
 */
import { isObject } from '../../base/is-object.ts'
import { stripControls } from '../../base/strip-controls.ts'
import type { Media } from '../../model/outcome.ts'
import type { Result } from '../../model/message.ts'

export interface Rendered {
  readonly text: string
  readonly media: readonly Media[]
}

export function render({ content, structuredContent }: Result): Rendered {
  const media: Media[] = []
  const blocks = Array.isArray(content) ? (content as readonly unknown[]) : given(content)
  const text = clean(renderAll(blocks, media))
  // Some servers send an empty text beside their structured content.
  const isBare = text.trim() === '' && structuredContent !== undefined
  return { text: (isBare ? clean(toJson(structuredContent)) : text) || NOTHING, media }
}

/** Some models refuse an empty text. */
const NOTHING = '(no content)'

function renderAll(blocks: readonly unknown[], media: Media[]): string {
  if (blocks.length === 1) return renderBlock(blocks[0], media)
  return blocks.map((block) => renderBlock(block, media)).join('\n')
}

/** Some servers send one block in place of a list. */
function given(content: unknown): readonly unknown[] {
  return content === undefined || content === null ? [] : [content]
}

function renderBlock(block: unknown, media: Media[]): string {
  if (typeof block === 'string') return block
  if (!isObject(block)) return toJson(block)
  const { type } = block
  if (type === 'text' && typeof block['text'] === 'string') return block['text']
  if ((type === 'image' || type === 'audio') && typeof block['data'] === 'string') {
    return addMedia(media, { kind: type, mimeType: mimeTypeOf(block), data: block['data'] })
  }
  if (type === 'resource_link' && typeof block['uri'] === 'string') return renderLink(block, block['uri'])
  if (type === 'resource' && isObject(block['resource'])) return renderResource(block['resource'], media)
  return `[content of type ${toJson(type ?? 'unknown')}] ${toJson(shorten(block))}`
}

function addMedia(media: Media[], one: Media): string {
  media.push(one)
  return `[${one.kind}: ${one.mimeType || 'unknown type'}, ${sizeOf(one.data)}]`
}

function renderLink(link: Fields, uri: string): string {
  const title = word(link['title']) ?? word(link['name'])
  const facts = [uri, mimeTypeOf(link), typeof link['size'] === 'number' ? `${link['size']} bytes` : '']
  const description = word(link['description'])
  return [
    `[resource link${title === undefined ? '' : ` "${title}"`}: ${facts.filter((fact) => fact !== '').join(', ')}]`,
    ...(description === undefined ? [] : [description]),
  ].join(' ')
}

function renderResource(resource: Fields, media: Media[]): string {
  const uri = word(resource['uri']) ?? 'without a uri'
  const mimeType = mimeTypeOf(resource)
  const { text, blob } = resource
  if (typeof text === 'string') return `[resource: ${uri}]\n${text}`
  if (typeof blob !== 'string') return `[resource: ${uri}] ${toJson(shorten(resource))}`
  const kind = /^(image|audio)\//.exec(mimeType)?.[1] as Media['kind'] | undefined
  const named = kind === undefined ? `${mimeType || 'unknown type'}, ${sizeOf(blob)}, not text` : undefined
  return `[resource: ${uri}] ${named ?? addMedia(media, { kind: kind!, mimeType, data: blob })}`
}

type Fields = Readonly<Record<string, unknown>>

function word(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

function mimeTypeOf({ mimeType }: Fields): string {
  return typeof mimeType === 'string' ? stripControls(mimeType).slice(0, 100) : ''
}

/** The size of the data behind the base64 text. */
function sizeOf(data: string): string {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  const bytes = Math.floor(((data.length - padding) * 3) / 4)
  return bytes < 1000
    ? `${bytes} bytes`
    : bytes < 1e6
      ? `${Math.round(bytes / 1000)} kB`
      : `${(bytes / 1e6).toFixed(1)} MB`
}

/** The longest text in a block of an unknown kind, which may well be binary data. */
const MAX_UNKNOWN = 500

function shorten(fields: Fields): Fields {
  const entries = Object.entries(fields).map(([key, value]) => [
    key,
    typeof value === 'string' && value.length > MAX_UNKNOWN
      ? `${value.slice(0, MAX_UNKNOWN)}… (${value.length} characters)`
      : value,
  ])
  return Object.fromEntries(entries) as Fields
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return '(nested too deep to show)' // or a server in this process sent a value that is not JSON
  }
}

/** Half a surrogate pair is no character, and no model's endpoint accepts it. */
function clean(text: string): string {
  return (stripControls(text) as unknown as { toWellFormed(): string }).toWellFormed()
}
