/**
 * edit-worker: a process that adds servers to a file, one write each, and says so after every one; or the code of the Problem that it met.
 *
 *   node edit-worker.mjs <file> <name> <count>
 */
import { ProblemError } from '../../src/problem/problem.ts'
import { editFile } from '../../src/runtime/edit-file.ts'
import { nodeFiles } from '../../src/world/node/files.ts'
import { pathsOf } from '../../src/world/node/paths.ts'
import type { World } from '../../src/world/world.ts'

const [file, name, count] = process.argv.slice(2) as [string, string, string]
// All that a write needs: the rest of the World would be most of the time of a process as short as this.
const world = { files: nodeFiles, paths: pathsOf('linux'), platform: process.platform } as World

try {
  for (let i = 0; i < Number(count); i++) {
    const value = { command: 'npx', args: ['-y', `${name}-${i}`] }
    await editFile(world, { file, within: undefined }, [
      { kind: 'set', path: ['mcpServers', `${name}-${i}`], value },
    ])
    process.stdout.write(`${i}\n`)
  }
} catch (error) {
  if (!(error instanceof ProblemError)) throw error
  process.stdout.write(`${error.problem.code}\n`)
}
