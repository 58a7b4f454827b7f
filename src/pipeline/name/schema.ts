/**
 * schema: converts the schema of a tool for a provider.
 *
 * in     a tool's schema as the server sent it, and the provider's profile
 * out    a schema that the provider accepts, or why there is none. A part that did not need to change is the same
 *        object as in the original
 * never  changes the original; throws; follows a reference out of it
 *
 * Arguments are checked against the original: the provider's schema only helps its model to write them.
 */
import { unreachable } from '../../base/unreachable.ts'
import type { JsonSchema, Profile, ProviderSchema } from '../../model/profile.ts'
import { toAnthropic } from './profiles/anthropic.ts'
import { toGemini } from './profiles/gemini.ts'
import { toMoonshot } from './profiles/moonshot.ts'
import { toNone } from './profiles/none.ts'
import { toOpenAiStrict } from './profiles/openai-strict.ts'
import { toOpenAi } from './profiles/openai.ts'
import { Unrepairable } from './unrepairable.ts'

export function toProviderSchema(schema: JsonSchema, profile: Profile): ProviderSchema {
  try {
    return { kind: 'schema', schema: mend(schema, profile) }
  } catch (error) {
    if (error instanceof Unrepairable) return { kind: 'quarantined', reason: error.reason }
    throw error
  }
}

function mend(schema: JsonSchema, profile: Profile): JsonSchema {
  const work = { spent: 0 }
  switch (profile) {
    case 'anthropic':
      return toAnthropic(schema, work)
    case 'openai':
      return toOpenAi(schema, work)
    case 'openai-strict':
      return toOpenAiStrict(schema, work)
    case 'gemini':
      return toGemini(schema, work)
    case 'moonshot':
      return toMoonshot(schema, work)
    case 'none':
      return toNone(schema)
    default:
      return unreachable(profile)
  }
}
