/**
 * mask-definition: a definition in which `‹secret›` stands for whatever may be a secret, and references are as they were.
 */
import type { Auth, OAuth, ServerDefinition, TemplateMap, Transport } from '../model/definition.ts'
import type { Template } from '../model/template.ts'
import { hideInArgs, hideInHeader, hideInText, hideInValue, maskText } from './mask-text.ts'

export function maskDefinition(definition: ServerDefinition): ServerDefinition {
  const { transport, auth, description } = definition
  return {
    ...definition,
    transport: maskTransport(transport),
    ...(auth === undefined ? {} : { auth: maskAuth(auth) }),
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
      return oauth === undefined ? remote : { ...remote, oauth: maskOAuth(oauth) }
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

function maskOAuth(oauth: OAuth): OAuth {
  const { redirectUri, authServerMetadataUrl, authorizationUrl, tokenUrl, resource } = oauth
  const urls = { redirectUri, authServerMetadataUrl, authorizationUrl, tokenUrl, resource }
  return { ...oauth, ...maskTexts(urls), ...maskClient(oauth) }
}

function maskAuth(auth: Auth): Auth {
  const { tokenUrl, resource } = auth
  return { ...auth, ...maskTexts({ tokenUrl, resource }), ...maskClient(auth) }
}

function maskClient({ clientId, clientSecret }: Pick<OAuth, 'clientId' | 'clientSecret'>): Partial<Auth> {
  return {
    ...(clientId === undefined ? {} : { clientId: hideInText(clientId) }),
    ...(clientSecret === undefined ? {} : { clientSecret: hideInValue(clientSecret) }),
  }
}

/** Those that are there. */
function maskTexts<K extends string>(
  texts: Readonly<Record<K, string | undefined>>,
): Partial<Record<K, string>> {
  const masked: Partial<Record<K, string>> = {}
  for (const key in texts) if (texts[key] !== undefined) masked[key] = maskText(texts[key])
  return masked
}

function maskMap(map: TemplateMap, mask: (template: Template) => Template): TemplateMap {
  return new Map([...map].map(([name, value]) => [name, mask(value)]))
}
