/**
 * show-image: the escape sequence that makes a terminal draw an image, where it can.
 *
 * in     an image of a result, whose data is base64 and nothing else
 * out    the sequence; undefined where the terminal cannot show the image
 */
import type { Image } from '../shared/images.ts'
import type { Env } from '../../world/world.ts'

const CHUNK = 4096

export function imageSequence({ mimeType, data }: Image, env: Env): string | undefined {
  switch (protocolOf(env)) {
    case 'kitty':
      // The only format that kitty decodes itself.
      return mimeType === 'image/png' ? kittySequence(data) : undefined
    case 'iterm':
      return `\x1b]1337;File=inline=1;preserveAspectRatio=1:${data}\x07\n`
    case undefined:
      return undefined
  }
}

/** Inside tmux or screen the sequences would appear as text. */
function protocolOf(env: Env): 'kitty' | 'iterm' | undefined {
  if (env['TMUX'] !== undefined || env['STY'] !== undefined) return undefined
  const program = env['TERM_PROGRAM']
  if (program === 'iTerm.app' || program === 'WezTerm') return 'iterm'
  const isKitty = env['TERM'] === 'xterm-kitty' || program === 'kitty' || program === 'ghostty'
  return isKitty ? 'kitty' : undefined
}

function kittySequence(data: string): string {
  const chunks = data.match(new RegExp(`.{1,${CHUNK}}`, 'g')) ?? []
  const parts = chunks.map((chunk, i) => {
    const more = i < chunks.length - 1 ? 1 : 0
    return `\x1b_G${i === 0 ? `a=T,f=100,q=2,m=${more}` : `m=${more}`};${chunk}\x1b\\`
  })
  return `${parts.join('')}\n`
}
