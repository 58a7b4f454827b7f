/**
 * hook: loaded before the command (`node --require`), counts what it loads, starts and writes, and says so in `COST_FILE`
 * at the end. It changes nothing: everything is passed on.
 */
const childProcess = require('node:child_process')
const fs = require('node:fs')
const { Session } = require('node:inspector')
const { syncBuiltinESMExports } = require('node:module')
const { dirname } = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')

const builtins = new Set()
/** Texts of our own files, each as often as it was loaded. */
const texts = []
let started = 0
let writtenBefore
let written = 0

const DIST = `${pathToFileURL(dirname(fs.realpathSync(process.argv[1]))).href}/`
const session = new Session()
session.connect()
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (url.startsWith(DIST)) texts.push(fs.readFileSync(fileURLToPath(url), 'utf8'))
})
session.post('Debugger.enable')

const { getBuiltinModule } = process
process.getBuiltinModule = (id) => {
  builtins.add(id.replace(/^node:/, ''))
  return getBuiltinModule(id)
}

const { spawn } = childProcess
childProcess.spawn = (command, args, options) => {
  started += 1
  return spawn(command, args, options)
}

const { renameSync, writeSync } = fs
fs.renameSync = (...args) => {
  written += 1
  return renameSync(...args)
}
fs.writeSync = (descriptor, ...rest) => {
  if (descriptor === 1) writtenBefore ??= written
  return writeSync(descriptor, ...rest)
}
syncBuiltinESMExports()

process.on('exit', () => {
  for (const text of texts)
    for (const [, id] of text.matchAll(/(?:from|import)\s*"node:([^"]+)"/g)) builtins.add(id)
  const cost = {
    files: texts.length,
    kilobytes: Math.ceil(texts.reduce((sum, text) => sum + text.length, 0) / 1000),
    builtins: [...builtins].sort(),
    started,
    writtenBefore,
  }
  fs.writeFileSync(process.env.COST_FILE, JSON.stringify(cost))
})
