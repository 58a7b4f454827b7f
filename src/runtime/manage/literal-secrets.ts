/**
 * literal-secrets: literal values in a definition that look like secrets.
 *
 * in     a definition; references (`${VAR}`), `!commands` and names of variables are no secrets
 * out    the names of the fields, `env.API_KEY`, never a value
 */
import { SECRET_MARK } from '../../base/secret.ts'
import type { ServerDefinition, TemplateMap, Transport } from '../../model/definition.ts'
import { showTemplate, type Template } from '../../model/template.ts'
import { isSecretName, maskArgs, maskHeader, maskTemplate, maskValue } from '../../problem/mask-text.ts'
import type { Env } from '../../world/world.ts'

export function findLiteralSecrets(
  { transport, auth, values }: ServerDefinition,
  env: Env,
): readonly string[] {
  const isReference = (template: Template): boolean =>
    values === 'resolvable' && !isHidden(maskTemplate(template)) && namesVariable(showTemplate(template), env)
  const inMap = (field: string, map: TemplateMap, mask: (template: Template) => string): string[] =>
    [...map]
      .filter(([, value]) => !isReference(value))
      .filter(([name, value]) => isHidden(isSecretName(name) ? mask(value) : maskTemplate(value)))
      .map(([name]) => `${field}.${name}`)
  return [
    ...inTransport(transport, inMap),
    ...(auth?.clientSecret !== undefined && isHidden(maskValue(auth.clientSecret))
      ? ['auth.clientSecret']
      : []),
  ]
}

/** As values of our files are read: a command, or the name of a variable, which may not be set here. */
function namesVariable(text: string, env: Env): boolean {
  return text.startsWith('!') || Object.hasOwn(env, text) || /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/.test(text)
}

/** The OAuth fields that prove who a client or user is. */
const OAUTH_SECRETS = ['clientSecret', 'privateKey', 'assertion', 'idToken', 'idpClientSecret'] as const

type InMap = (field: string, map: TemplateMap, mask: (template: Template) => string) => string[]

function inTransport(transport: Transport, inMap: InMap): string[] {
  const inText = (field: string, template: Template | undefined): string[] =>
    template !== undefined && isHidden(maskTemplate(template)) ? [field] : []
  const inValue = (field: string, template: Template | undefined): string[] =>
    template !== undefined && isHidden(maskValue(template)) ? [field] : []
  switch (transport.type) {
    case 'stdio':
      return [
        ...inText('command', transport.command),
        ...(maskArgs(transport.args).some(isHidden) ? ['args'] : []),
        ...inMap('env', transport.env, maskValue),
      ]
    case 'http':
    case 'sse':
    case 'ws': {
      const oauth = 'oauth' in transport ? transport.oauth : undefined
      return [
        ...inText('url', transport.url),
        ...inMap('headers', transport.headers, maskHeader),
        ...OAUTH_SECRETS.flatMap((key) => inValue(`oauth.${key}`, oauth?.[key])),
      ]
    }
    case 'sse-ide':
    case 'ws-ide':
      return [...inText('url', transport.url), ...inValue('authToken', transport.authToken)]
    case 'claudeai-proxy':
      return inText('url', transport.url)
    case 'sdk':
      return []
  }
}

function isHidden(masked: string): boolean {
  return masked.includes(SECRET_MARK)
}
