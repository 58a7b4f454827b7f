/**
 * table: the same rows in a pipe, in a terminal, and in a narrow one.
 */
import { expect, test } from 'vitest'
import { COLORS, NO_COLORS } from '../../../src/hosts/shared/paint.ts'
import { toTable, type Column } from '../../../src/hosts/shared/table.ts'
import { widthOf } from '../../../src/hosts/shared/width.ts'

const COLUMNS: readonly Column[] = [
  { title: 'NAME', shrinks: 3 },
  { title: 'SOURCE', shrinks: 2, isDetail: true },
  { title: 'FATE' },
  { title: 'FILE', shrinks: 1, keeps: 'end', isDetail: true },
]

const ROWS = [
  ['github', 'Claude Code', 'chosen', '~/.claude.json:14'],
  ['a-server-with-a-long-name', 'Cursor', 'untrusted', '~/code/some/deep/folder/.cursor/mcp.json:7'],
]

const table = (columns?: number, rows = ROWS): string[] =>
  toTable(COLUMNS, rows, { paint: NO_COLORS, columns })

test('in a pipe nothing is cut', () => {
  expect(table()).toEqual([
    'NAME                       SOURCE       FATE       FILE',
    'github                     Claude Code  chosen     ~/.claude.json:14',
    'a-server-with-a-long-name  Cursor       untrusted  ~/code/some/deep/folder/.cursor/mcp.json:7',
  ])
})

test('the least important column gives way first, and a path keeps its end', () => {
  expect(table(80)).toEqual([
    'NAME                       SOURCE       FATE       FILE',
    'github                     Claude Code  chosen     ~/.claude.json:14',
    'a-server-with-a-long-name  Cursor       untrusted  …ep/folder/.cursor/mcp.json:7',
  ])
})

test('where next to nothing would be left of it, each row takes two lines, without a heading', () => {
  expect(table(60)).toEqual([
    'github                     chosen',
    '  Claude Code  ~/.claude.json:14',
    'a-server-with-a-long-name  untrusted',
    '  Cursor  ~/code/some/deep/folder/.cursor/mcp.json:7',
  ])
})

test('columns that can be done without are left out before that, as few of them as will do', () => {
  const columns = COLUMNS.map((column) => (column.title === 'SOURCE' ? { ...column, drops: 1 } : column))
  const show = (room: number): string[] => toTable(columns, ROWS, { paint: NO_COLORS, columns: room })
  expect(show(80)).toEqual(table(80))
  expect(show(60)).toEqual([
    'NAME                       FATE       FILE',
    'github                     chosen     ~/.claude.json:14',
    'a-server-with-a-long-name  untrusted  …er/.cursor/mcp.json:7',
  ])
  // On two lines there is room for all of them.
  expect(show(50)).toEqual(table(50))
})

test('in a terminal that is narrower still, every line fits', () => {
  const lines = table(40)
  expect(lines).toEqual([
    'github                     chosen',
    '  Claude Code  ~/.claude.json:14',
    'a-server-with-a-long-name  untrusted',
    '  Cursor  …eep/folder/.cursor/mcp.json:7',
  ])
  expect(lines.every((line) => widthOf(line) <= 40)).toBe(true)
})

test('wide characters count twice, also when they are cut', () => {
  const columns: readonly Column[] = [{ title: 'NAME', shrinks: 1 }, { title: 'X' }]
  const rows = [
    ['日本語のサーバー名', 'a'],
    ['x', 'b'],
  ]
  expect(toTable(columns, rows, { paint: NO_COLORS })).toEqual([
    'NAME                X',
    '日本語のサーバー名  a',
    'x                   b',
  ])
  const long = [['語'.repeat(40), 'a']]
  expect(toTable(columns, long, { paint: NO_COLORS, columns: 60 })).toEqual([
    `NAME${' '.repeat(55)}X`,
    `${'語'.repeat(28)}…  a`,
  ])
})

test('escape sequences in a cell are shown, not obeyed', () => {
  expect(toTable([{ title: 'NAME' }], [['\u001b[2J']], { paint: NO_COLORS })).toEqual([
    'NAME',
    String.raw`\x1b[2J`,
  ])
})

test('colour does not count', () => {
  const columns: readonly Column[] = [{ title: 'A' }, { title: 'B' }]
  expect(toTable(columns, [[{ text: 'x', brush: COLORS.red }, 'y']], { paint: COLORS })).toEqual([
    '\x1b[2mA\x1b[22m  \x1b[2mB\x1b[22m',
    '\x1b[31mx\x1b[39m  y',
  ])
})
