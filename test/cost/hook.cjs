/**
 * hook: loaded before the command (`node --require`), counts what it loads and starts, and writes it to `COST_FILE` at the
 * end. It changes nothing: everything is passed on. That it is there cannot be seen, since a command with flags does more.
 */
const childProcess = require('node:child_process')
const fs = require('node:fs')
const Module = require('node:module')

process.execArgv.length = 0

const builtins = new Set()
const started = []
let writtenBefore
let written = 0

const note = (id) => {
  if (Module.isBuiltin(id)) builtins.add(id.replace(/^node:/, ''))
}
// The name is Node's.
// oxlint-disable no-underscore-dangle
const { _load: load } = Module
Module._load = (id, ...rest) => {
  note(id)
  return load(id, ...rest)
}
const { getBuiltinModule } = process
process.getBuiltinModule = (id) => {
  note(id)
  return getBuiltinModule(id)
}

const { spawn } = childProcess
childProcess.spawn = (command, args, options) => {
  started.push(command)
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

process.on('exit', () => {
  const cost = { builtins: [...builtins].sort(), started: started.length, writtenBefore }
  fs.writeFileSync(process.env.COST_FILE, JSON.stringify(cost))
})
