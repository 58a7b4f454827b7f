/**
 * architecture: who may import whom, and that nobody imports in a circle. The table is STYLE.md §3, as data.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, test } from 'vitest'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  base: [],
  world: ['base'],
  model: ['base'],
  problem: ['base', 'model'],
  pipeline: ['base', 'model', 'problem', 'world'],
  edit: ['base', 'model', 'problem', 'world'],
  runtime: ['base', 'model', 'problem', 'world', 'pipeline', 'edit'],
  hosts: ['base', 'model', 'problem', 'world', 'runtime'],
}

/** Files at the top of src/ build the program out of the parts. */
const BUILDERS = ['bin.ts', 'command.ts', 'run.ts', 'index.ts']

interface Import {
  readonly from: string
  readonly line: number
  readonly target: string
}

const FILES = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file))
  .map((file) => file.replaceAll('\\', '/'))
  .sort()

const IMPORTS: readonly Import[] = FILES.flatMap(readImports)

describe('imports', () => {
  test('every import is one that the table allows', () => {
    expect(IMPORTS.map(findViolation).filter((violation) => violation !== undefined)).toEqual([])
  })

  test('no file imports itself by a detour, types included', () => {
    expect(findCycles()).toEqual([])
  })

  test('no file only re-exports, but the library itself', () => {
    const barrels = FILES.filter((file) => file !== 'index.ts' && isBarrel(file))
    expect(barrels).toEqual([])
  })

  test('every file opens with its contract', () => {
    const hasContract = (file: string): boolean =>
      /^(?:#!.*\n)?\/\*\*/.test(readFileSync(join(SRC, file), 'utf8'))
    expect(FILES.filter((file) => !hasContract(file))).toEqual([])
  })
})

describe('the check itself', () => {
  test.each([
    ['a stage that sees another stage', 'pipeline/admit/x.ts', 'pipeline/choose/choose.ts'],
    ['a host that sees another host', 'hosts/cli/x.ts', 'hosts/shell/y.ts'],
    ['a host that reaches into the pipeline', 'hosts/cli/x.ts', 'pipeline/choose/choose.ts'],
    ['node: outside of world/node', 'model/x.ts', 'node:fs'],
    ['the real world outside of the entry points', 'runtime/x.ts', 'world/node/world.ts'],
    ['a base that knows the model', 'base/x.ts', 'model/origin.ts'],
  ])('finds %s', (_, from, target) => {
    expect(findViolation({ from, line: 1, target })).toContain(from)
  })

  test.each([
    ['a stage that uses the model', 'pipeline/admit/x.ts', 'model/origin.ts'],
    ['a host that uses hosts/shared', 'hosts/cli/x.ts', 'hosts/shared/table.ts'],
    ['the real world using node:', 'world/node/x.ts', 'node:fs'],
  ])('lets pass %s', (_, from, target) => {
    expect(findViolation({ from, line: 1, target })).toBeUndefined()
  })
})

function readImports(file: string): Import[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(join(SRC, file), 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  )
  const found: Import[] = []
  const visit = (node: ts.Node): void => {
    const name = moduleNameOf(node)
    if (name !== undefined) {
      const line = source.getLineAndCharacterOfPosition(node.getStart()).line + 1
      found.push({ from: file, line, target: toTarget(file, name) })
    }
    ts.forEachChild(node, visit)
  }
  visit(source)
  return found
}

/** `import … from`, `export … from`, `import()`, `import('…').Type` and `require()`. */
function moduleNameOf(node: ts.Node): string | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return textOf(node.moduleSpecifier)
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return textOf(node.argument.literal)
  if (!ts.isCallExpression(node)) return undefined
  const isImport = node.expression.kind === ts.SyntaxKind.ImportKeyword
  const isRequire = ts.isIdentifier(node.expression) && node.expression.text === 'require'
  return isImport || isRequire ? textOf(node.arguments[0]) : undefined
}

function textOf(node: ts.Node | undefined): string | undefined {
  return node !== undefined && ts.isStringLiteral(node) ? node.text : undefined
}

function toTarget(file: string, name: string): string {
  return name.startsWith('.') ? relative(SRC, resolve(SRC, dirname(file), name)).replaceAll('\\', '/') : name
}

function findViolation({ from, line, target }: Import): string | undefined {
  const say = (rule: string): string => `src/${from}:${line} imports ${target}: ${rule}`
  const isRealWorld = from.startsWith('world/node/')
  if (target.startsWith('node:')) return isRealWorld ? undefined : say('only world/node may import node:*')
  if (!target.includes('/') || target.startsWith('@') || !/\.tsx?$/.test(target)) return undefined
  if (BUILDERS.includes(from)) return undefined
  if (target.startsWith('world/node/'))
    return isRealWorld ? undefined : say('only files at the top of src/ and tests use world/node')
  const [home, part] = from.split('/')
  const [goal, goalPart] = target.split('/')
  if (home === goal) {
    const isApart = home === 'pipeline' || home === 'hosts'
    if (!isApart || part === goalPart || goalPart === 'shared') return undefined
    return say(home === 'pipeline' ? 'stages do not see each other' : 'hosts do not see each other')
  }
  const allowed = MAY_IMPORT[home!] ?? []
  return allowed.includes(goal!) ? undefined : say(`${home} may import ${allowed.join(', ') || 'nothing'}`)
}

function isBarrel(file: string): boolean {
  const source = ts.createSourceFile(file, readFileSync(join(SRC, file), 'utf8'), ts.ScriptTarget.Latest)
  return source.statements.length > 0 && source.statements.every((one) => ts.isExportDeclaration(one))
}

/** Strongly connected files, found by walking until a file on the path is met again. */
function findCycles(): string[] {
  const next = new Map(
    FILES.map((file) => [file, IMPORTS.filter(({ from }) => from === file).map(({ target }) => target)]),
  )
  const done = new Set<string>()
  const cycles: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    const at = path.indexOf(file)
    if (at !== -1) return void cycles.push([...path.slice(at), file].join(' → '))
    if (done.has(file)) return
    for (const target of next.get(file) ?? []) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of FILES) walk(file, [])
  return cycles
}
