/**
 * template: a string with parts that are not known yet.
 *
 * Every dialect's own syntax (`${VAR}`, `{env:VAR}`, `$VAR` …) becomes this. Only the resolve stage fills in values, so
 * no earlier stage can show a secret.
 */
export type Template = readonly Part[]

/** A plain string is literal text. */
export type Part = string | Reference

export type Reference =
  | { readonly kind: 'env'; readonly name: string; readonly fallback?: string }
  /** The text of a file (opencode). */
  | { readonly kind: 'file'; readonly path: string }
  /** The user is asked for it (VS Code). */
  | { readonly kind: 'input'; readonly id: string }
  /** Shell code inside a value (Crush). Kept as text, never evaluated. */
  | { readonly kind: 'command'; readonly text: string }
  /** A variable whose default refers to another one: `${A:-${B}}`. Kept as text. */
  | { readonly kind: 'nested'; readonly name: string; readonly text: string }

export function literal(text: string): Template {
  return text === '' ? [] : [text]
}

export function isLiteral(template: Template): boolean {
  return template.every((part) => typeof part === 'string')
}

/** The same spelling for all dialects, for fingerprints, screens and exports. */
export function showTemplate(template: Template): string {
  return template.map(showPart).join('')
}

export function showPart(part: Part): string {
  if (typeof part === 'string') return part
  switch (part.kind) {
    case 'env':
      return part.fallback === undefined ? `\${${part.name}}` : `\${${part.name}:-${part.fallback}}`
    case 'file':
      return `{file:${part.path}}`
    case 'input':
      return `\${input:${part.id}}`
    case 'command':
      return `$(${part.text})`
    case 'nested':
      return part.text
  }
}

/** The references of a template as written, but without their defaults, which can be secrets. */
export function showReferences(template: Template): readonly string[] {
  return template
    .filter((part) => typeof part !== 'string')
    .map((part) => (part.kind === 'env' || part.kind === 'nested' ? `\${${part.name}}` : showPart(part)))
}

/**
 * Fills in values from the environment, and leaves everything else as written. For comparisons only (policy,
 * signatures): the result may hold secrets and must not be kept or shown.
 */
export function expandForComparison(
  template: Template,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (template.length === 1 && typeof template[0] === 'string') return template[0]
  return template
    .map((part) =>
      typeof part === 'object' && part.kind === 'env'
        ? (env[part.name] ?? part.fallback ?? showPart(part))
        : showPart(part),
    )
    .join('')
}

/** Fills in the values of the variables; undefined when a part is unknown. The result may be a secret. */
export function fillTemplate(
  template: Template,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  const parts = template.map((part) => {
    if (typeof part === 'string') return part
    return part.kind === 'env' ? (env[part.name] ?? part.fallback) : undefined
  })
  return parts.includes(undefined) ? undefined : parts.join('')
}
