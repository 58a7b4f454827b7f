/**
 * page: whether what a server said is a web page, and what that page calls itself.
 */
export function isPage(body: string): boolean {
  return /^\s*(?:<!--[^]*?-->\s*)?<(?:!doctype\s+html|html)[\s>]/i.test(body)
}

/** Undefined when it has none, or is no page. */
export function titleOf(body: string): string | undefined {
  const title = /<title[^>]*>([^<]*)/i.exec(body)?.[1]?.trim()
  return title === undefined || title === '' ? undefined : title
}
