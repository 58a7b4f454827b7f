/**
 * native-key: the key in the configuration of a server that the host implements itself.
 *
 * in     a definition and the environment
 * out    the key, wrapped; undefined when the entry has none
 */
import { Secret } from '../../base/secret.ts'
import type { ServerDefinition, TemplateMap } from '../../model/definition.ts'
import { tryUrl } from '../../model/signature.ts'
import { fillTemplate, type Template } from '../../model/template.ts'
import type { Env } from '../../world/world.ts'

const KEY_NAME = /key|token|secret|authorization/i

export function findNativeKey({ transport }: ServerDefinition, env: Env): Secret | undefined {
  const key =
    transport.type === 'stdio'
      ? findInMap(transport.env, env)
      : 'headers' in transport
        ? (findInMap(transport.headers, env) ?? findInUrl(transport.url, env))
        : undefined
  return key === undefined ? undefined : new Secret(key)
}

function findInMap(map: TemplateMap, env: Env): string | undefined {
  const value = [...map].find(([name]) => KEY_NAME.test(name))?.[1]
  return value === undefined ? undefined : fillTemplate(value, env)?.replace(/^Bearer\s+/i, '')
}

function findInUrl(template: Template, env: Env): string | undefined {
  const url = tryUrl(fillTemplate(template, env) ?? '')
  return [...(url?.searchParams ?? [])].find(([name]) => KEY_NAME.test(name))?.[1]
}
