/**
 * own-problems: why Plugboard does not change an entry of ours.
 */
import { toPrintable } from '../../base/printable.ts'
import type { CatalogEntry } from '../../model/catalog.ts'
import { SOURCE_TITLES, type Origin, type Spot } from '../../model/origin.ts'
import type { Problem } from '../../model/problem.ts'
import { createProblem, createWarning } from '../../problem/problem.ts'
import type { WritableScope } from './scope-file.ts'

interface Own {
  readonly scope: WritableScope
  readonly found: CatalogEntry
}

/** The entry is in another agent's file, or in no file. */
export function notOurs(name: string, elsewhere: readonly CatalogEntry[]): Problem {
  const origins = elsewhere.map(({ entry }) => entry.found.origin)
  return createProblem({
    code: 'manage/not-ours',
    message: `\`${toPrintable(name)}\` is in no file of Plugboard's, and the files of others are left alone`,
    notes: origins.slice(0, 5).map(showOrigin),
    hints: [
      `to keep it from running here, run \`plugboard disable ${toPrintable(name)}\``,
      'to take it out for good, change the file above',
    ],
  })
}

export function notInScope(name: string, scope: WritableScope, there: readonly Own[]): Problem {
  return createProblem({
    code: 'manage/not-in-scope',
    message: `\`${toPrintable(name)}\` is not in the ${scope} scope`,
    notes: there.map(({ found }) => showOrigin(found.entry.found.origin)),
    hints: [`write \`--scope ${there[0]!.scope}\``],
  })
}

export function inSeveral(name: string, all: readonly Own[]): Problem {
  const scopes = [...new Set(all.map(({ scope }) => scope))]
  return createProblem({
    code: 'manage/in-several',
    message: `\`${toPrintable(name)}\` is in ${all.length} files of Plugboard's, and which is meant is for you to say`,
    notes: all.map(({ found }) => showOrigin(found.entry.found.origin)),
    hints:
      scopes.length > 1
        ? [`say which: ${scopes.map((scope) => `\`--scope ${scope}\``).join(' or ')}`]
        : ['they are in the same scope: change the file by hand'],
  })
}

export function needsYes(what: string): Problem {
  return createProblem({
    code: 'manage/needs-yes',
    message: `${what}, and there is nobody to ask`,
    hints: ['if that is what you want, add `--yes`'],
  })
}

/** Another process removed or changed the entry after it was read. */
export function goneMeanwhile(name: string, file: string): Problem {
  return createProblem({
    code: 'manage/gone',
    message: `\`${toPrintable(name)}\` is not there any more`,
    where: { file },
    notes: ['nothing was changed'],
  })
}

export function nameTaken(name: string, { entry }: CatalogEntry): Problem {
  return createProblem({
    code: 'manage/exists',
    message: `there is a server \`${toPrintable(name)}\` in this file already`,
    where: entry.found.origin,
    notes: ['nothing was changed'],
    hints: ['choose another name'],
  })
}

export function managedServer(name: string, origin: Origin): Problem {
  return createProblem({
    code: 'manage/managed',
    message: `\`${toPrintable(name)}\` comes from your organisation, and is not yours to turn on or off`,
    where: origin,
  })
}

/** The name stays off because of a rule above the user's settings. */
export function stillOff(name: string, by: Spot, reason: string): Problem {
  return createProblem({
    code: 'manage/still-off',
    message: `\`${toPrintable(name)}\` stays off: ${reason}`,
    where: by,
    hints: ['that place has more weight than your settings: change it there'],
  })
}

/** Another agent has a server of this name, which takes over once ours is gone. */
export function takesOver(name: string, origin: Origin): Problem {
  return createProblem({
    severity: 'info',
    code: 'manage/takes-over',
    message: `\`${toPrintable(name)}\` of ${SOURCE_TITLES[origin.source]} takes its place now`,
    where: origin,
  })
}

/** Rules refer to a server by its name. */
export function rulesOfOldName(name: string, tools: readonly string[]): Problem {
  return createWarning({
    code: 'manage/rules-of-old-name',
    message: `rules about calls still name \`${toPrintable(name)}\`: ${tools.map((tool) => `\`${toPrintable(tool)}\``).join(', ')}`,
    hints: ['to see them, run `plugboard permissions`'],
  })
}

export function noEditor(file: string): Problem {
  return createProblem({
    code: 'manage/editor',
    message: 'there is no terminal here for an editor to run in',
    where: { file },
    hints: [
      'name one that needs none in the variable `EDITOR`',
      'or use `add`, `add-json`, `remove`, `rename`',
    ],
  })
}

export function editorFailed(command: string, why: string): Problem {
  return createProblem({
    code: 'manage/editor',
    message: `the editor \`${toPrintable(command)}\` ${why}`,
    notes: ['nothing was changed'],
    hints: ['set `EDITOR` to a command that returns when the file is closed: `code --wait`, say'],
  })
}

/** The edited text is kept, whatever keeps it from replacing the file. */
export function copyKept(problem: Problem, copy: string): Problem {
  return {
    ...problem,
    notes: [
      ...problem.notes.filter((note) => note !== 'nothing was changed'),
      'the file is as it was',
      `your text: ${copy}`,
    ],
  }
}

export function changedMeanwhile(file: string): Problem {
  return createProblem({
    code: 'manage/changed-meanwhile',
    message: 'this file was changed by somebody else while you edited it',
    where: { file },
    hints: ['run `plugboard edit` again, and take over what you changed'],
  })
}

function showOrigin({ source, scope, file, line }: Origin): string {
  return `${SOURCE_TITLES[source]}, ${scope} scope: ${file}:${line}`
}
