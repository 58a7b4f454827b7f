/**
 * mask-definition: a definition with `‹secret›` in place of everything that may be a secret. References are unchanged.
 */
import type { Auth, OAuth, ServerDefinition, TemplateMap, Transport } from '../model/definition.ts'
import type { Template } from '../model/template.ts'
import { hideInArgs, hideInHeader, hideInText, hideInValue, maskText } from './mask-text.ts'

export function maskDefinition(definition: ServerDefinition): ServerDefinition {
  const { transport, auth, description } = definition
  return {
    ...definition,
    transport: maskTransport(transport),
    ...(auth === undefined ? {} : { auth: maskSettings(auth) }),
    ...(description === undefined ? {} : { description: maskText(description) }),
  }
}

function maskTransport(transport: Transport): Transport {
  switch (transport.type) {
    case 'stdio': {
      const { command, args, env } = transport
      return {
        ...transport,
        command: hideInText(command),
        args: hideInArgs(args),
        env: maskMap(env, hideInValue),
      }
    }
    case 'http':
    case 'sse': {
      const { oauth } = transport
      const remote = maskRemote(transport)
      return oauth === undefined ? remote : { ...remote, oauth: maskSettings(oauth) }
    }
    case 'ws':
      return maskRemote(transport)
    case 'sse-ide':
    case 'ws-ide': {
      const { url, authToken } = transport
      const token = authToken === undefined ? {} : { authToken: hideInValue(authToken) }
      return { ...transport, url: hideInText(url), ...token }
    }
    case 'claudeai-proxy':
      return { ...transport, url: hideInText(transport.url) }
    case 'sdk':
      return transport
  }
}

function maskRemote<T extends Extract<Transport, { type: 'http' | 'sse' | 'ws' }>>(transport: T): T {
  const { url, headers, headersHelper } = transport
  const helper = headersHelper === undefined ? {} : { headersHelper: hideInText(headersHelper) }
  return { ...transport, url: hideInText(url), headers: maskMap(headers, hideInHeader), ...helper }
}

/** These prove an identity, whatever they look like. */
const CREDENTIALS = new Set(['clientSecret', 'privateKey', 'assertion', 'idToken', 'idpClientSecret'])

function maskSettings<T extends OAuth | Auth>(settings: T): T {
  const masked = Object.entries(settings).map(([key, value]: [string, unknown]) => {
    if (typeof value === 'string') return [key, maskText(value)]
    const isTemplate = Array.isArray(value) && key !== 'scopes'
    if (!isTemplate) return [key, value]
    return [key, CREDENTIALS.has(key) ? hideInValue(value as Template) : hideInText(value as Template)]
  })
  return Object.fromEntries(masked) as T
}

function maskMap(map: TemplateMap, mask: (template: Template) => Template): TemplateMap {
  return new Map([...map].map(([name, value]) => [name, mask(value)]))
}
