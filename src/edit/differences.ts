/**
 * differences: in which fields two servers differ, whatever files they are in.
 *
 * in     two definitions, each with whether it is on
 * out    the names of the fields, as in our own files: `timeout`, `env.TOKEN`, `args[1]`
 * never  compares the order of variables and headers, or how values are looked up where it makes no difference
 */
import { kindOf, toFacts, type FactName, type Facts } from './dialects/facts.ts'
import { OURS, spell } from './dialects/spelling.ts'
import { kindOfServer, type ServerToWrite } from './write-entry.ts'
import type { Template } from '../model/template.ts'

export function findDifferences(one: ServerToWrite, other: ServerToWrite): readonly string[] {
  const [before, after] = [flatten(one), flatten(other)]
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (field) => before.get(field) !== after.get(field),
  )
}

/** Every field as a text to compare. */
function flatten({ definition, power }: ServerToWrite): ReadonlyMap<string, string> {
  const facts: Facts = { ...toFacts(definition, power), type: kindOfServer(definition.transport) }
  const flat = new Map<string, string>()
  const textOf = (template: Template): string =>
    spell(template, { ...OURS, command: (code) => `$(${code})` }).text
  for (const name of Object.keys(facts) as FactName[]) {
    const value = facts[name]
    if (value === undefined) continue
    const kind = kindOf(name)
    if (kind === 'template') flat.set(name, textOf(value as Template))
    else if (kind === 'templates')
      for (const [i, item] of (value as readonly Template[]).entries())
        flat.set(`${name}[${i}]`, textOf(item))
    else if (kind === 'map')
      for (const [key, item] of value as ReadonlyMap<string, Template>)
        flat.set(`${name}.${key}`, textOf(item))
    else flat.set(name, JSON.stringify(value))
  }
  return flat
}
