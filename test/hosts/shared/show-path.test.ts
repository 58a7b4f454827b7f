/**
 * show-path: paths as their user would write them, on every platform.
 */
import { posix, win32 } from 'node:path'
import { expect, test } from 'vitest'
import { showOwner, showPath, showSpot, type Here } from '../../../src/hosts/shared/show-path.ts'

const HERE: Here = { paths: posix, home: '/home/ada', cwd: '/home/ada/code/shop' }

test.each([
  ['/home/ada/.cursor/mcp.json', '~/.cursor/mcp.json'],
  ['/home/ada/code/shop/.mcp.json', './.mcp.json'],
  ['/home/ada/code/shop', '.'],
  ['/home/ada', '~'],
  ['/home/ada/code/mcp.json', '~/code/mcp.json'],
  ['/home/adam/x', '/home/adam/x'],
  ['/home/ada/code/shop/..x', './..x'],
  ['/etc/plugboard/managed-mcp.json', '/etc/plugboard/managed-mcp.json'],
  ['--mcp-config', '--mcp-config'],
  ['https://me:pw@host/mcp?api_key=abc&x=1', 'https://me:‹secret›@host/mcp?api_key=‹secret›&x=1'],
  ['/tmp/\u001b[2J', String.raw`/tmp/\x1b[2J`],
])('%s is shown as %s', (file, shown) => {
  expect(showPath(file, HERE)).toBe(shown)
})

test('in the home folder, its files are shown from home', () => {
  expect(showPath('/home/ada/.claude.json', { ...HERE, cwd: '/home/ada' })).toBe('~/.claude.json')
})

test('in the root folder, nothing is shown as below it', () => {
  expect(showPath('/etc/x', { ...HERE, cwd: '/' })).toBe('/etc/x')
})

test('Windows paths keep their separators and compare without case', () => {
  const here: Here = { paths: win32, home: 'C:\\Users\\Ada', cwd: 'D:\\shop' }
  expect(
    ['c:\\users\\ada\\.cursor\\mcp.json', 'D:\\shop\\.mcp.json', 'E:\\x'].map((file) => showPath(file, here)),
  ).toEqual(['~\\.cursor\\mcp.json', '.\\.mcp.json', 'E:\\x'])
})

test('a spot shows as much of its position as is known', () => {
  const file = '/home/ada/x'
  expect(
    [{ file }, { file, line: 3 }, { file, line: 3, column: 4 }].map((spot) => showSpot(spot, HERE)),
  ).toEqual(['~/x', '~/x:3', '~/x:3:4'])
})

test('an owner is a title and a scope, and the root files have no title', () => {
  expect([
    showOwner({ source: 'vscode', scope: 'user' }),
    showOwner({ source: 'mcp-json', scope: 'project' }),
  ]).toEqual(['VS Code, user scope', 'project scope'])
})
