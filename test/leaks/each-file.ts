/**
 * each-file: listens to every process that a test file starts, by whatever means, and searches what they said after each
 * test. Terminals (`processes/screen.ts`) and files (`processes/plugboard.ts`, `worlds/scratch.ts`) are told of by those who
 * make them; what nobody takes goes to the output of vitest, which `whole-run.ts` listens to.
 */
import { ChildProcess } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { afterAll, afterEach, inject } from 'vitest'
import { notePrinted, requireNoLeaks } from './printed.ts'
import { onNoted } from './secrets.ts'

type Spawn = (this: ChildProcess, options: { readonly args?: readonly string[] }) => unknown

const prototype = ChildProcess.prototype as unknown as { spawn: Spawn }
const { spawn } = prototype

prototype.spawn = function (options) {
  const result = spawn.call(this, options)
  for (const name of ['stdout', 'stderr'] as const) {
    const where = `${name} of ${String(this.pid)} (${(options.args ?? []).slice(0, 6).join(' ')})`
    if (this[name] !== null) listen(this[name], (text) => notePrinted(where, text))
  }
  return result
}

/** Beside whoever reads it, and also where nobody does: a listener for `data` would take it away from them. */
function listen(stream: Readable, onText: (text: string) => void): void {
  const push = stream.push.bind(stream)
  stream.push = (chunk: unknown, encoding?: BufferEncoding) => {
    if (chunk instanceof Uint8Array) onText(Buffer.from(chunk).toString('latin1'))
    else if (typeof chunk === 'string') onText(chunk)
    return push(chunk, encoding)
  }
}

onNoted((noted) => appendFileSync(inject('noted'), `${JSON.stringify(noted)}\n`))
afterEach(requireNoLeaks)
afterAll(requireNoLeaks)
