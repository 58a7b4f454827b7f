/**
 * page: finds out whether an answer is a web page, and reads the title of the page.
 */
export function isPage(body: string): boolean {
  return /^\s*(?:<!--[^]*?-->\s*)?<(?:!doctype\s+html|html)[\s>]/i.test(body)
}

/** Undefined when the page has no title, or the text is no page. */
export function titleOf(body: string): string | undefined {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1]?.trim()
  return title === undefined || title === '' ? undefined : title
}
