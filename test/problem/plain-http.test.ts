/**
 * plain-http: the dangerous option is offered where it would help, and nowhere else.
 */
import { expect, test } from 'vitest'
import { adviseOnPlainHttp, becauseOfPlainHttp } from '../../src/problem/plain-http.ts'

const isOffered = (url: string): boolean =>
  adviseOnPlainHttp({ type: 'http' }, url).some((hint) => hint.includes('dangerouslyAllowHttp'))

test.each(['http://mcp.test/mcp', 'http://10.0.0.5/mcp', 'http://[fd00::1]/mcp'])('%s: it helps', (url) => {
  expect(isOffered(url)).toBe(true)
})

test.each([
  'file:///etc/passwd',
  'ftp://mcp.test/',
  'javascript:alert(1)',
  'http://169.254.169.254/latest/meta-data',
  'http://[::ffff:169.254.169.254]/',
  'http://0xa9fea9fe/',
  'http://[fe80::1]/',
])('%s: it does not', (url) => {
  expect(isOffered(url)).toBe(false)
})

test('what is no address of a server is called that', () => {
  expect(becauseOfPlainHttp('file:///etc/passwd')).toBe(
    'its `url` begins with `file:`, which is no address of a server',
  )
})
