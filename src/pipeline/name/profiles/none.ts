/**
 * none: the schema as the server wrote it, with `properties` added to an object that lacks them.
 */
import { isObject } from '../../../base/is-object.ts'
import type { JsonSchema } from '../../../model/profile.ts'

export function toNone(schema: JsonSchema): JsonSchema {
  return schema['type'] === 'object' && !isObject(schema['properties'])
    ? { ...schema, properties: {} }
    : schema
}
