/**
 * model-setting: reads the setting `model`: the model of the shell.
 *
 * in     `"anthropic/<id>"`, or a table with `provider`, `id`, `baseUrl` and `apiKey`
 * out    the setting, or its fault
 */
import { findMember, toText, type ConfigNode } from '../../model/document.ts'
import type { ModelProvider, ModelSetting } from '../../model/settings.ts'
import type { Problem } from '../../model/problem.ts'
import { PLAIN, toTemplate } from './expand.ts'
import { malformed, type At } from './setting-problems.ts'

const PROVIDERS: readonly ModelProvider[] = ['anthropic', 'openai']

export function readModel(at: At, node: ConfigNode): ModelSetting | Problem {
  const written = toText(node)
  if (written !== undefined) {
    const slash = written.indexOf('/')
    const provider = PROVIDERS.find((one) => one === written.slice(0, Math.max(0, slash)))
    const id = written.slice(slash + 1)
    return provider === undefined || id === '' ? malformed(at, node, HOW) : { provider, id }
  }
  const provider = PROVIDERS.find((one) => one === toText(findMember(node, 'provider')?.value))
  const id = toText(findMember(node, 'id')?.value)
  if (provider === undefined || id === undefined || id === '') return malformed(at, node, HOW)
  const baseUrl = findMember(node, 'baseUrl')?.value
  if (baseUrl !== undefined && !/^https?:\/\//.test(toText(baseUrl) ?? ''))
    return malformed(at, baseUrl, '`baseUrl` must begin with `https://` or `http://`')
  const apiKey = toText(findMember(node, 'apiKey')?.value)
  return {
    provider,
    id,
    ...(baseUrl === undefined ? {} : { baseUrl: toText(baseUrl)! }),
    ...(apiKey === undefined ? {} : { apiKey: toTemplate(apiKey, PLAIN) }),
  }
}

const HOW =
  '`model` must be `"anthropic/<id>"`, `"openai/<id>"`, or a table with `provider`, `id` and perhaps `baseUrl` and `apiKey`'
