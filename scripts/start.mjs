/**
 * start: `npm start`. Builds when something in src/ is newer than the last build, then runs plugboard here: the shell on a
 * terminal, the status of all servers elsewhere.
 */
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const at = (path) => fileURLToPath(new URL(`../${path}`, import.meta.url))

if (newest('src') > modified('dist/bin.js')) run([at('scripts/build.mjs')])
process.exitCode = run([at('dist/bin.js'), ...process.argv.slice(2)])

function newest(dir) {
  return readdirSync(at(dir), { recursive: true }).reduce(
    (time, file) => Math.max(time, modified(`${dir}/${file}`)),
    0,
  )
}

function modified(path) {
  return statSync(at(path), { throwIfNoEntry: false })?.mtimeMs ?? 0
}

function run(args) {
  const { status } = spawnSync(process.execPath, args, {
    stdio: 'inherit',
    cwd: process.env.INIT_CWD ?? process.cwd(),
  })
  if (status !== 0) process.exit(status ?? 1)
  return status
}
