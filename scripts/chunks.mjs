/**
 * chunks: which modules are loaded together.
 *
 * A chunk has the modules named here, and all that they import statically and no chunk before it has: so a chunk needs only
 * those before it. What none of these leads to is with the module that is imported dynamically, or in `shared` where two
 * of those need it. Never name an entry point (`bin.ts`, `index.ts`): it would run in every process that loads the chunk.
 */
export const CHUNKS = {
  // What bin.js needs at once; as little as possible, because Node does not keep it compiled.
  start: [
    'src/world/node/bridge.ts',
    'src/world/node/compile-cache.ts',
    'src/problem/problem.ts',
    'src/base/printable.ts',
    'src/base/edit-distance.ts',
    'helpers/esm/usingCtx.js',
  ],
  // Help and the version.
  command: ['src/command.ts'],
  // What the command and the library have in common: reading configuration.
  core: [
    'src/world/node/world.ts',
    'src/world/node/sender.ts',
    'src/problem/crash-text.ts',
    'src/problem/mask-fact.ts',
    'src/runtime/load-catalog.ts',
    'src/runtime/last-known.ts',
    'src/runtime/visit-board.ts',
    'src/runtime/completions.ts',
    'src/runtime/definition-json.ts',
  ],
  cli: ['src/run.ts', 'src/hosts/cli/groups/reading.ts'],
  // What the library has beside: connections and calls.
  board: [
    'src/runtime/board.ts',
    'src/runtime/builtin-tools.ts',
    'src/model/entry.ts',
    'src/model/profile.ts',
    'src/hosts/adapters/offer.ts',
    'src/hosts/shared/images.ts',
  ],
  authorize: ['src/pipeline/authorize/alone.ts', 'src/runtime/login-by-name.ts', 'src/runtime/sign-out.ts'],
  edit: [
    'src/edit/edit.ts',
    'src/runtime/edit-file.ts',
    'src/runtime/manage/own-server.ts',
    'src/runtime/manage/switch-server.ts',
  ],
  toml: ['node_modules/toml-eslint-parser/'],
}

/** As Rolldown wants them. Say `requireAll` when it is done: a module that was moved would be in any other chunk. */
export function createGroups() {
  const seen = new Set()
  const find = (id, paths) => paths.find((path) => id.replaceAll('\\', '/').includes(path))
  const groups = Object.entries(CHUNKS).map(([name, paths], i) => ({
    name,
    test: (id) => {
      const found = find(id, paths)
      if (found !== undefined) seen.add(found)
      return found !== undefined
    },
    priority: 100 - i,
  }))
  return {
    groups: [...groups, { name: 'shared', minShareCount: 2, priority: 0 }],
    requireAll() {
      const missing = Object.values(CHUNKS).flatMap((paths) => paths.filter((path) => !seen.has(path)))
      if (missing.length > 0)
        throw new Error(`scripts/chunks.mjs names what is not there: ${missing.join(', ')}`)
    },
  }
}
