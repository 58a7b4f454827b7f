/**
 * name-fault: finds names that one provider refuses although most accept them.
 */
import type { Profile } from '../../model/profile.ts'

/** As a clause. Only the style `bare` can make such names: the others begin with `mcp`. */
export function findNameFault(name: string, profile: Profile): string | undefined {
  const needsLetter = profile === 'gemini' || profile === 'moonshot'
  if (!needsLetter || /^[A-Za-z_]/.test(name)) return undefined
  return `${profile} does not take its name \`${name}\`, which must begin with a letter or \`_\`; with the setting \`toolNames\` at \`double\` it does`
}
