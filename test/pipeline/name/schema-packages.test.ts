/**
 * The schemas of the corpus in the hands of a package that changes them as it sends them. (The package of OpenAI is asked in
 * provider-rules.ts, that of Anthropic sends them as they are.)
 */
import { GoogleGenAI, Type, type Schema } from '@google/genai'
import { describe, expect, test } from 'vitest'
import type { JsonSchema, Profile } from '../../../src/model/profile.ts'
import { nameOf } from '../../../src/pipeline/name/name.ts'
import { toProviderSchema } from '../../../src/pipeline/name/schema.ts'
import { serve } from '../../servers/http/loopback.ts'
import { readCorpus } from './corpus.ts'

interface Declared {
  readonly name: string
  readonly schema: JsonSchema
}

function corpusFor(profile: Profile): readonly Declared[] {
  return readCorpus().flatMap(({ server, tools }) =>
    tools.flatMap(({ name, inputSchema }) => {
      const made = toProviderSchema(inputSchema, profile)
      return made.kind === 'schema' ? [{ name: nameOf(server, name, 'double'), schema: made.schema }] : []
    }),
  )
}

/** What the package sends, by an endpoint on this machine. */
async function sendToGemini(
  declared: readonly Declared[],
): Promise<readonly { name: string; parameters: Schema }[]> {
  await using endpoint = await serve(({ response }) => {
    response.setHeader('content-type', 'application/json')
    response.end('{"candidates":[{"content":{"role":"model","parts":[{"text":"ok"}]}}]}')
  })
  const genai = new GoogleGenAI({ apiKey: 'none', httpOptions: { baseUrl: endpoint.origin } })
  const functionDeclarations = declared.map(({ name, schema }) => ({ name, parameters: schema as Schema }))
  const config = { tools: [{ functionDeclarations }] }
  await genai.models.generateContent({ model: 'any', contents: 'hello', config })
  const body = endpoint.received[0]!.message as unknown as {
    tools: [{ functionDeclarations: { name: string; parameters: Schema }[] }]
  }
  return body.tools[0].functionDeclarations
}

describe('@google/genai', () => {
  test('sends every schema of the corpus, types in its own letters, nothing lost', async () => {
    const declared = corpusFor('gemini')
    const sent = await sendToGemini(declared)
    expect(sent.map(({ name }) => name)).toEqual(declared.map(({ name }) => name))
    for (const [i, { parameters }] of sent.entries())
      expect(parameters).toEqual(inItsLetters(declared[i]!.schema))
    expect(typesIn(sent).every((type) => Object.values(Type).includes(type as Type))).toBe(true)
  })
})

/** As the package writes them. */
function inItsLetters(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(inItsLetters)
  if (typeof schema !== 'object' || schema === null) return schema
  const { type, properties, items, anyOf, ...rest } = schema as {
    type?: string
    properties?: object
    items?: object
    anyOf?: object[]
  }
  return {
    ...rest,
    ...(type === undefined ? {} : { type: type.toUpperCase() }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries(properties).map(([name, one]) => [name, inItsLetters(one)]),
          ),
        }),
    ...(items === undefined ? {} : { items: inItsLetters(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(inItsLetters) }),
  }
}

function typesIn(sent: readonly { parameters: Schema }[]): readonly unknown[] {
  const types: unknown[] = []
  const visit = ({ type, properties = {}, items, anyOf = [] }: Schema): void => {
    if (type !== undefined) types.push(type)
    for (const one of [...Object.values(properties), ...(items === undefined ? [] : [items]), ...anyOf])
      visit(one)
  }
  for (const { parameters } of sent) visit(parameters)
  return types
}
