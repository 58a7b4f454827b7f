/**
 * offer-runners: how to run each kind of package.
 *
 * never  accepts a package name that could be read as something else, such as a flag or a path
 */
import type { Gapped } from './offer.ts'
import type { RegistryPackage } from './registry-server.ts'

/** How to run a kind of package. Its name must not look like a flag or a path. */
export interface Runner {
  readonly command: string
  /** Other programs that take the same arguments. */
  readonly alike: readonly string[]
  readonly isIdentifier: RegExp
  words(parts: Parts): readonly Gapped[]
}

interface Parts {
  readonly pack: RegistryPackage
  readonly runtime: readonly Gapped[]
  readonly own: readonly Gapped[]
  /** Names of the variables that the package gets. */
  readonly names: readonly string[]
}

export const RUNNERS: Readonly<Record<string, Runner>> = {
  npm: {
    command: 'npx',
    alike: ['bunx'],
    isIdentifier: /^(?:@[\w.~-]+\/)?[\w.~][\w.~-]*$/,
    words: ({ pack, runtime, own }) => [
      ...(hasWord(runtime, '-y', '--yes') ? [] : [['-y']]),
      ...runtime,
      [withVersion(pack, '@')],
      ...own,
    ],
  },
  pypi: {
    command: 'uvx',
    alike: [],
    isIdentifier: /^[A-Za-z0-9][\w.-]*$/,
    words: ({ pack, runtime, own }) => [...runtime, [withVersion(pack, '@')], ...own],
  },
  oci: {
    command: 'docker',
    alike: ['podman'],
    isIdentifier: /^[A-Za-z0-9][\w./:@-]*$/,
    words: ({ pack, runtime, own, names }) => [
      ...['run', '-i', '--rm'].map((word) => [word]),
      ...names.flatMap((name) => [['-e'], [name]]),
      ...withoutWords(runtime, ['run', '-i', '--interactive', '--rm']),
      [imageOf(pack)],
      ...own,
    ],
  },
  nuget: {
    command: 'dnx',
    alike: [],
    isIdentifier: /^[A-Za-z0-9][\w.-]*$/,
    words: ({ pack, runtime, own }) => [
      [withVersion(pack, '@')],
      ...(hasWord(runtime, '--yes') ? [] : [['--yes']]),
      ...runtime,
      ...(own.length === 0 ? [] : [['--'], ...own]),
    ],
  },
}

function withVersion({ identifier, version }: RegistryPackage, mark: string): string {
  return version === undefined ? identifier : `${identifier}${mark}${version}`
}

/** Newer entries have the tag in the identifier, older ones in a field of its own. */
function imageOf(pack: RegistryPackage): string {
  const hasTag = /[:@][^/]*$/.test(pack.identifier)
  return hasTag ? pack.identifier : withVersion(pack, ':')
}

function hasWord(words: readonly Gapped[], ...wanted: readonly string[]): boolean {
  return words.some(([first]) => typeof first === 'string' && wanted.includes(first))
}

function withoutWords(words: readonly Gapped[], unwanted: readonly string[]): readonly Gapped[] {
  return words.filter((word) => !hasWord([word], ...unwanted))
}
