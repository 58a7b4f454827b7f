/**
 * mask-text: secrets in places where nobody would look for a name.
 */
import { expect, test } from 'vitest'
import { maskText } from '../../src/problem/mask-text.ts'
import { maskSecrets } from '../../src/problem/mask.ts'

test('a key in the path of a URL is hidden, and the rest of the path is not', () => {
  expect(maskText('https://mcp.zapier.com/api/mcp/s/ZDk4NzYyMTAxMjM0NTY3ODkwYWJjZGVm/mcp')).toBe(
    'https://mcp.zapier.com/api/mcp/s/‹secret›/mcp',
  )
})

test.each(['https://api.githubcopilot.com/mcp/v1', '@modelcontextprotocol/server-sequential-thinking'])(
  '%s is no secret',
  (text) => {
    expect(maskText(text)).toBe(text)
  },
)

test.each([
  ['sent Bearer abcdef123456 to it', 'sent Bearer ‹secret› to it'],
  ['basic YWRhOmh1bnRlcjIyLXJpY2h0aWc=', 'basic ‹secret›'],
  ['basic authentication failed, bearer authentication is needed', undefined],
])('a credential is hidden behind the name of its scheme alone: %s', (text, masked = text) => {
  expect(maskText(text)).toBe(masked)
})

test('a value that is set in a command line is hidden where the line is quoted', () => {
  expect(maskSecrets('  "command": "env SECRET_TOKEN=hunter11 npx foo",')).toBe(
    '  "command": "env SECRET_TOKEN=•••••••• npx foo",',
  )
})
