/**
 * public-part: what another credential may see of the lists that one credential got.
 *
 * out    the lists that the server itself calls public; nothing when its tools are not among them
 * never  passes on a list about which the server says nothing, or its instructions, which may be meant for one person
 */
import { LIST_KINDS, type ListKind, type Offering } from '../model/offering.ts'

export function publicPart(offering: Offering): Offering | undefined {
  const { hello, caching = {} } = offering
  const isPublic = (kind: ListKind): boolean => caching[kind]?.cacheScope === 'public'
  if (!isPublic('tool')) return undefined
  const { era, version, capabilities } = hello
  return {
    hello: { era, version, capabilities },
    tools: offering.tools,
    resources: isPublic('resource') ? offering.resources : [],
    resourceTemplates: isPublic('resource-template') ? offering.resourceTemplates : [],
    prompts: isPublic('prompt') ? offering.prompts : [],
    quarantined: offering.quarantined.filter(({ kind }) => isPublic(kind)),
    problems: [],
    caching: Object.fromEntries(LIST_KINDS.filter(isPublic).map((kind) => [kind, caching[kind]!])),
  }
}

/** What another credential may see: everything, unless the server calls some lists private. */
export function withoutPrivate(offering: Offering): Offering | undefined {
  const scopes = Object.values(offering.caching ?? {}).map(({ cacheScope }) => cacheScope)
  return scopes.includes('private') ? publicPart(offering) : offering
}
