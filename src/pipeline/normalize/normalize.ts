/**
 * normalize: turns each entry, in any dialect, into our own definition, or says why it cannot.
 *
 * in     one found entry, the environment (to say which variables are unset), the platform
 * out    the entry with its reading and warnings; one bad entry does not affect the others
 * never  puts values into templates, reads a file, or runs anything
 */
import { findMember, toText } from '../../model/document.ts'
import type { FoundEntry, NormalizedEntry } from '../../model/entry.ts'
import type { Problem } from '../../model/problem.ts'
import type { Env, Platform } from '../../world/world.ts'
import { dialectOf } from './all-dialects.ts'
import { toReading } from './check.ts'
import { OUR_PATHS } from './dialects/plugboard.ts'
import { createDraft, type Draft, type Field } from './draft.ts'
import { lastOfEach } from './fields.ts'
import {
  commandInValue,
  nestedDefault,
  inputNeeded,
  inputOfVscode,
  invalidConfig,
  notAnObject,
  notKnown,
  unknownInput,
  unsetVariable,
} from './problems.ts'

export interface Surroundings {
  readonly env: Env
  readonly platform: Platform
}

export function normalize(found: FoundEntry, { env, platform }: Surroundings): NormalizedEntry {
  if (found.unsupported !== undefined) {
    return { found, warnings: [], kind: 'unsupported', problem: found.unsupported }
  }
  if (found.node.kind !== 'object') {
    return { found, warnings: [], kind: 'invalid', problems: [notAnObject(found)] }
  }
  const draft = createDraft(found, { dialect: dialectOf(found.dialect), platform, ourFields: OUR_PATHS })
  for (const { key, value } of lastOfEach(draft, found.node.members))
    readField(draft, { path: key, node: value })
  checkReferences(draft)
  const reading = draft.unsupported === undefined ? toReading(draft) : toUnsupported(draft, draft.unsupported)
  if (draft.references.length <= MAX_REFERENCES) warnOfReferences(draft, env)
  return { found, warnings: draft.warnings, ...reading }
}

function readField(draft: Draft, field: Field): void {
  const { fields, unknownField } = draft.dialect
  const reader = Object.hasOwn(fields, field.path) ? fields[field.path] : undefined
  if (reader !== undefined) reader(draft, field)
  else if (unknownField === 'not-used') draft.warnings.push(notKnown(draft, field))
  else {
    draft.problems.push(invalidConfig(draft.found, `\`${field.path}\` is not a field of this format`, field))
  }
}

/** More than any server needs; each may give a warning. */
const MAX_REFERENCES = 1000

function checkReferences(draft: Draft): void {
  const { found, references } = draft
  if (references.length <= MAX_REFERENCES) return
  const message = `server \`${found.name}\` has more than ${MAX_REFERENCES} references to variables`
  draft.problems.push(invalidConfig(found, message, references[MAX_REFERENCES]!.field))
}

function toUnsupported(
  draft: Draft,
  problem: NonNullable<Draft['unsupported']>,
): Extract<NormalizedEntry, { kind: 'unsupported' }> {
  const type = draft.fields.type
  return {
    found: draft.found,
    warnings: draft.warnings,
    kind: 'unsupported',
    problem,
    ...(type === undefined ? {} : { type }),
  }
}

/** Reports which variables are unset, which values Plugboard will ask for, and which are code that will not run. */
function warnOfReferences(draft: Draft, env: Env): void {
  for (const { field, reference } of draft.references) {
    if (reference.kind === 'command') draft.warnings.push(commandInValue(draft.found, field))
    if (reference.kind === 'nested') draft.warnings.push(nestedDefault(draft.found, field))
    if (reference.kind === 'input') draft.warnings.push(describeInput(draft, field, reference.id))
    const isUnset =
      reference.kind === 'env' && reference.fallback === undefined && env[reference.name] === undefined
    if (isUnset) draft.warnings.push(unsetVariable(draft.found, field, reference.name))
  }
}

/** VS Code declares its inputs at the top of the file. */
function describeInput({ found }: Draft, field: Field, id: string): Problem {
  if (found.dialect !== 'vscode') return inputOfVscode(found, field, id)
  const inputs = findMember(found.document.root, 'inputs')?.value
  const items = inputs?.kind === 'array' ? inputs.items : []
  const isKnown = items.some((item) => toText(findMember(item, 'id')?.value) === id)
  return isKnown ? inputNeeded(found, field, id) : unknownInput(found, field, id)
}
