/**
 * problems: faults of one entry. The other entries still load.
 */
import { describeKind, type ConfigNode } from '../../model/document.ts'
import type { FoundEntry } from '../../model/entry.ts'
import { SOURCE_TITLES } from '../../model/origin.ts'
import type { Problem, Where } from '../../model/problem.ts'
import { createProblem, createWarning, whereOf } from '../../problem/problem.ts'
import type { Draft, Field } from './draft.ts'

export function wrongType(
  found: FoundEntry,
  field: Field,
  expected: string,
  hints: readonly string[] = [],
): Problem {
  return createProblem({
    code: 'normalize/wrong-type',
    message: `\`${field.path}\` must be ${expected}, but is ${describeKind(field.node)}`,
    where: whereIn(found, field.node),
    hints,
  })
}

export function notAnObject(found: FoundEntry): Problem {
  return createProblem({
    code: 'normalize/not-an-object',
    message: `server \`${found.name}\` must be an object, but is ${describeKind(found.node)}`,
    where: whereIn(found, found.node),
  })
}

export function invalidConfig(
  found: FoundEntry,
  message: string,
  field?: Field,
  hints: readonly string[] = [],
): Problem {
  return createProblem({
    code: 'normalize/invalid',
    message,
    where: whereIn(found, field?.node ?? found.node),
    hints,
  })
}

/** A malformed field; Plugboard uses the default. */
export function badValue(found: FoundEntry, field: Field, expected: string): Problem {
  return createWarning({
    code: 'normalize/bad-value',
    message: `\`${field.path}\` must be ${expected}; the default is used`,
    where: whereIn(found, field.node),
  })
}

/** When a key is written twice, every parser silently takes the last. */
export function writtenTwice(found: FoundEntry, field: Field): Problem {
  return createWarning({
    code: 'normalize/duplicate-field',
    message: `\`${field.path}\` is written twice; the last one counts`,
    where: whereIn(found, field.node),
    hints: ['remove one of them'],
  })
}

/** A field that Plugboard does not have. */
export function notUsed(
  found: FoundEntry,
  field: Field,
  reason = 'it has no counterpart in Plugboard',
): Problem {
  return createWarning({
    code: 'normalize/not-used',
    message: `\`${field.path}\` is not used: ${reason}`,
    where: whereIn(found, field.node),
  })
}

/** A field that the dialect does not have. The message says whether the agent lacks it or Plugboard does. */
export function notKnown({ found, ourFields }: Draft, field: Field): Problem {
  if (!ourFields.has(field.path)) return notUsed(found, field)
  const isConnector = found.origin.scope === 'connector'
  const title = SOURCE_TITLES[found.origin.source]
  return notUsed(found, field, isConnector ? 'a connector cannot set it' : `${title} has no such field`)
}

/** A kind of server that only its own agent can run. */
export function unsupportedKind(
  found: FoundEntry,
  message: string,
  field: Field,
  hints: readonly string[] = [],
): Problem {
  return createWarning({ code: 'normalize/unsupported', message, where: whereIn(found, field.node), hints })
}

export function unsetVariable(found: FoundEntry, field: Field, variable: string): Problem {
  return createWarning({
    code: 'normalize/unset-variable',
    message: `\`${variable}\` is not set, and server \`${found.name}\` needs it for \`${field.path}\``,
    where: whereIn(found, field.node),
    notes: ['looked in: the environment'],
    hints: [`set it in your shell, or give a default in the file: \`\${${variable}:-…}\``],
  })
}

export function inputNeeded(found: FoundEntry, field: Field, id: string): Problem {
  return createProblem({
    severity: 'info',
    code: 'normalize/input',
    message: `server \`${found.name}\` asks for \`${id}\` when it connects`,
    where: whereIn(found, field.node),
  })
}

export function unknownInput(found: FoundEntry, field: Field, id: string): Problem {
  return createWarning({
    code: 'normalize/unknown-input',
    message: `\`${field.path}\` refers to the input \`${id}\`, which this file does not declare`,
    where: whereIn(found, field.node),
    hints: [`add it to \`inputs\`: \`{ "type": "promptString", "id": "${id}", "password": true }\``],
  })
}

/** In a file of ours, where an import from VS Code may have left it. */
export function inputOfVscode(found: FoundEntry, field: Field, id: string): Problem {
  return createWarning({
    code: 'normalize/unknown-input',
    message: `\`${field.path}\` refers to the input \`${id}\`, for which only VS Code asks`,
    where: whereIn(found, field.node),
    hints: [`put the value into a variable, and \`\${NAME}\` in place of \`\${input:${id}}\``],
  })
}

export function commandInValue(found: FoundEntry, field: Field): Problem {
  return createWarning({
    code: 'normalize/command-in-value',
    message: `\`${field.path}\` holds shell code, which Plugboard never runs from another agent's file`,
    where: whereIn(found, field.node),
    hints: ['put the value into a variable and refer to it: `${NAME}`'],
  })
}

export function nestedDefault(found: FoundEntry, field: Field): Problem {
  return createWarning({
    code: 'normalize/nested-default',
    message: `\`${field.path}\` has a variable inside the default of another one, which is not put in`,
    where: whereIn(found, field.node),
    hints: ['give the default as text: `${NAME:-text}`'],
  })
}

export function unusualName(found: FoundEntry): Problem {
  const name = found.name.length > 100 ? `${found.name.slice(0, 40)}…` : found.name
  return createWarning({
    code: 'normalize/unusual-name',
    message: `the name \`${name}\` has characters beyond letters, digits, \`_\`, \`.\` and \`-\`, or is longer than 100`,
    where: { ...found.origin, server: found.name },
  })
}

export function windowsNpx(found: FoundEntry, field: Field, command: string): Problem {
  return createWarning({
    code: 'normalize/windows-npx',
    message: `on Windows, \`${command}\` does not start without a shell`,
    where: whereIn(found, field.node),
    hints: [`use \`"command": "cmd"\` and begin \`args\` with \`"/c", "${command}"\``],
  })
}

function whereIn(found: FoundEntry, node: ConfigNode): Where {
  const { source, scope } = found.origin
  return whereOf(found.document, node, { source, scope, server: found.name })
}
