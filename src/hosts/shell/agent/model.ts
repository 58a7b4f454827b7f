/**
 * model: which model answers, and the way to it.
 *
 * in     what the user named: in the line, the environment or the settings
 * out    a choice, and from it a language model of `ai`, which is loaded with the first request
 * never  shows a key
 */
import type { LanguageModel } from 'ai'
import type { Secret } from '../../../base/secret.ts'
import type { ModelProvider, ModelSetting } from '../../../model/settings.ts'
import type { Template } from '../../../model/template.ts'
import { ProblemError } from '../../../problem/problem.ts'
import { resolveSetting } from '../../../runtime/setting-value.ts'
import type { Env, World } from '../../../world/world.ts'
import type { MarkedRequest, ModelRequest, OpenModel } from './agent.ts'
import type { ModelAddress } from './ai-sdk.ts'
import { badModel, noKey } from './problems.ts'

export interface ModelChoice {
  readonly provider: ModelProvider
  readonly id: string
  readonly baseUrl?: string
  readonly apiKey?: Template
}

/** Used where there is a key for the provider and no model is named. */
const DEFAULT_IDS: Readonly<Record<ModelProvider, string>> = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'gpt-5.1',
}

const KEYS: Readonly<Record<ModelProvider, string>> = {
  anthropic: 'ANTHROPIC_API_KEY',
  openai: 'OPENAI_API_KEY',
}

export interface ModelWishes {
  /** `--model` or `/model`: `provider/id`, or an id of the provider that is in use. */
  readonly named?: string | undefined
  readonly setting?: ModelSetting | undefined
  readonly env: Env
}

/** The first that is said: in the line, in `PLUGBOARD_MODEL`, in the settings, by a key in the environment. Throws `shell/bad-model`. */
export function chooseModel({ named, setting, env }: ModelWishes): ModelChoice | undefined {
  const written = named ?? env['PLUGBOARD_MODEL']
  const configured = setting ?? chooseByKey(env)
  if (written === undefined || written === '') return configured
  const slash = written.indexOf('/')
  const provider = PROVIDERS.find((one) => one === written.slice(0, Math.max(slash, 0)))
  if (provider !== undefined) {
    const id = written.slice(slash + 1)
    if (id === '') throw new ProblemError(badModel(written))
    return configured?.provider === provider ? { ...configured, id } : { provider, id }
  }
  // Ids of some providers have slashes of their own.
  if (configured === undefined) throw new ProblemError(badModel(written))
  return { ...configured, id: written }
}

const PROVIDERS: readonly ModelProvider[] = ['anthropic', 'openai']

function chooseByKey(env: Env): ModelChoice | undefined {
  const provider = PROVIDERS.find((one) => (env[KEYS[one]] ?? '') !== '')
  if (provider !== undefined) return { provider, id: DEFAULT_IDS[provider] }
  return undefined
}

/** Rejects with `shell/no-key` when the provider wants one and there is none. */
export async function openModel(world: World, choice: ModelChoice): Promise<OpenModel> {
  const { provider, id } = choice
  const baseUrl = baseUrlOf(world.env, choice)
  const key = await findKey(world, choice)
  if (key === undefined && needsKey(baseUrl))
    throw new ProblemError(noKey(`${provider}/${id}`, KEYS[provider]))
  return {
    label: `${provider}/${id}`,
    provider,
    baseUrl,
    profile: provider,
    images: provider === 'anthropic' ? 'send' : 'name',
    open: () => openLanguageModel(provider, { id, baseURL: baseUrl, key }),
    cached: provider === 'anthropic' ? markForCache : (request) => request,
    after: (ms, step) => void world.clock.after(ms, step),
  }
}

function findKey(world: World, { provider, apiKey }: ModelChoice): Promise<Secret | undefined> {
  return resolveSetting(world, apiKey ?? [{ kind: 'env', name: KEYS[provider] }])
}

/** A model on this machine seldom wants one. */
function needsKey(baseUrl: string): boolean {
  const { hostname } = new URL(baseUrl)
  return !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

function baseUrlOf(env: Env, { provider, baseUrl }: ModelChoice): string {
  if (baseUrl !== undefined) return baseUrl
  if (provider === 'openai') return env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1'
  // As Claude Code has it: without the version.
  const base = env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com'
  return /\/v\d+\/?$/.test(base) ? base : `${base.replace(/\/$/, '')}/v1`
}

async function openLanguageModel(provider: ModelProvider, address: ModelAddress): Promise<LanguageModel> {
  const { openAnthropic, openCompatible } = await import('./ai-sdk.ts')
  return provider === 'anthropic' ? openAnthropic(address) : openCompatible(address)
}

const KEEP = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const

/** What comes before a mark is kept: the tools with the system prompt, and the conversation up to now. */
function markForCache({ system, messages }: ModelRequest): MarkedRequest {
  const last = messages.at(-1)
  return {
    system: { role: 'system', content: system, providerOptions: KEEP },
    messages: last === undefined ? [] : [...messages.slice(0, -1), { ...last, providerOptions: KEEP }],
  }
}
