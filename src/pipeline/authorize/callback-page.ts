/**
 * callback-page: the page that the user sees in the browser after the sign-in.
 */
const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:20vh auto;padding:0 1rem;color:#222;background:#fff}' +
  '@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}'

/** Both arguments are plain text. */
export function toPage(title: string, text: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${escape(title)}</title><style>${STYLE}</style><h1>${escape(title)}</h1><p>${escape(text)}</p></html>`
}

function escape(text: string): string {
  const entities: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (one) => entities[one]!)
}
