/**
 * registry-problems: what can go wrong between a registry and an entry.
 */
import { toPrintable } from '../../base/printable.ts'
import type { Problem } from '../../model/problem.ts'
import { maskText } from '../../problem/mask-text.ts'
import { createProblem } from '../../problem/problem.ts'
import type { NoOffer } from './offer.ts'
import type { RegistryServer } from './registry-server.ts'

export function badRegistry(registry: string): Problem {
  return createProblem({
    code: 'registry/bad-address',
    message: `\`${maskText(registry)}\` is not the address of a registry`,
    hints: ['it begins with `https://` or `http://`: see the setting `registry`, or `--registry`'],
  })
}

export function registryFailed(registry: string, why: string): Problem {
  return createProblem({
    code: 'registry/failed',
    message: `the registry could not be asked: ${maskText(why)}`,
    notes: [`address: ${maskText(registry)}`],
    hints: ['to ask another, use `--registry <url>` or the setting `registry`'],
  })
}

export function registryMisspoke(registry: string): Problem {
  return createProblem({
    code: 'registry/failed',
    message: 'what answered is not an MCP registry',
    notes: [`address: ${maskText(registry)}`],
    hints: ['see whether the address is right: `--registry <url>` or the setting `registry`'],
  })
}

export function noSuchServer(name: string, registry: string, near: readonly RegistryServer[]): Problem {
  return createProblem({
    code: 'registry/unknown',
    message: `the registry has no server \`${name}\``,
    notes: [`address: ${maskText(registry)}`],
    hints: [
      ...near.slice(0, 1).map((one) => `did you mean \`${one.name}\`?`),
      'to look for one, run `plugboard search <words>`',
    ],
  })
}

export function ambiguousName(name: string, found: readonly RegistryServer[]): Problem {
  return createProblem({
    code: 'registry/ambiguous',
    message: `${found.length} servers of the registry are called \`${name}\``,
    notes: found.slice(0, 20).map((one) => `${one.name}   ${toPrintable(one.description).slice(0, 80)}`),
    hints: ['give its whole name, with what stands before the `/`'],
  })
}

export function isDeleted({ name, statusMessage }: RegistryServer): Problem {
  return createProblem({
    code: 'registry/deleted',
    message: `\`${name}\` was taken out of the registry`,
    notes: statusMessage === undefined ? [] : [`reason given: "${toPrintable(statusMessage)}"`],
  })
}

export function nothingToInstall({ name }: RegistryServer, others: readonly NoOffer[]): Problem {
  return createProblem({
    code: 'registry/nothing-to-install',
    message: `\`${name}\` cannot be installed from what the registry says`,
    notes:
      others.length === 0
        ? ['it has neither a package nor an address']
        : others.map(({ label, why }) => `${toPrintable(label)}: ${why}`),
  })
}

export function noSuchOffer({ name }: RegistryServer, using: string, known: readonly string[]): Problem {
  return createProblem({
    code: 'registry/nothing-to-install',
    message: `\`${name}\` cannot be had as \`${using}\``,
    hints: [`write \`--using ${[...new Set(known)].join('` or `--using ')}\``],
  })
}

/** `view`: what the host would show to the user. */
export function needsConsent(name: string, view: readonly string[]): Problem {
  return createProblem({
    code: 'registry/needs-consent',
    message: `nobody can be asked whether \`${name}\` may be installed`,
    notes: view,
    hints: ['look at what it would run; then say so with `--yes`'],
  })
}
