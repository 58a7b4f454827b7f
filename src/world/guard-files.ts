/**
 * guard-files: wraps the files of a world that the host brings. They may throw, although `Files` promises an answer.
 *
 * in     files, and a listener for what they throw
 * out    files that keep to `Files`
 * never  lets a reader take an unreadable file for a missing one
 */
import type { Files } from './world.ts'

export type OnFault = (method: keyof Files, error: unknown) => void

export function guardFiles(files: Files, onFault: OnFault): Files {
  const guard = <T>(method: keyof Files, ask: () => T, otherwise: (error: unknown) => T): T => {
    try {
      return ask()
    } catch (error) {
      onFault(method, error)
      return otherwise(error)
    }
  }
  return {
    read: (file, maxBytes) =>
      guard(
        'read',
        () => files.read(file, maxBytes),
        (error) => ({ kind: 'unreadable', why: { kind: 'failed', message: String(error) } }),
      ),
    kind: (path) =>
      guard(
        'kind',
        () => files.kind(path),
        () => 'missing',
      ),
    list: (directory) =>
      guard(
        'list',
        () => files.list(directory),
        () => [],
      ),
    realPath: (path) =>
      guard(
        'realPath',
        () => files.realPath(path),
        () => path,
      ),
    isExecutable: (path) =>
      guard(
        'isExecutable',
        () => files.isExecutable(path),
        () => false,
      ),
    findObstacle: (folder) =>
      guard(
        'findObstacle',
        () => files.findObstacle(folder),
        () => undefined,
      ),
    mode: (path) =>
      guard(
        'mode',
        () => files.mode(path),
        () => undefined,
      ),
    isForeign: (path) =>
      guard(
        'isForeign',
        () => files.isForeign(path),
        () => true,
      ),
    makeFolder: (path) =>
      guard(
        'makeFolder',
        () => files.makeFolder(path),
        () => false,
      ),
    write: (file, mode, content) =>
      guard(
        'write',
        () => files.write(file, mode, content),
        () => false,
      ),
    append: (file, text, options) =>
      guard(
        'append',
        () => files.append(file, text, options),
        () => false,
      ),
    stats: (file) =>
      guard(
        'stats',
        () => files.stats(file),
        () => undefined,
      ),
    rename: (file, to) =>
      guard(
        'rename',
        () => files.rename(file, to),
        () => false,
      ),
    remove: (file) =>
      guard(
        'remove',
        () => files.remove(file),
        () => false,
      ),
    update: async (file, mode, change) => files.update(file, mode, change),
    locked: async (file, step) => files.locked(file, step),
    async watch(paths, onTouched) {
      try {
        return await files.watch(paths, onTouched)
      } catch (error) {
        onFault('watch', error)
        return () => undefined
      }
    },
  }
}
