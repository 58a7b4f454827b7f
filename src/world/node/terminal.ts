/**
 * terminal: the real one, on stdin, stdout and stderr.
 *
 * Node's own streams take as long to load as a small command takes to run. So text is written to the descriptors
 * themselves. The streams are used only where a terminal may be behind them.
 */
import { fstatSync } from 'node:fs'
import type { PipedInput, Terminal } from '../world.ts'
import { createWriter, lookAtTerminal, mayBeTerminal, UNKNOWN_COLUMNS } from './terminal-facts.ts'

export interface NodeTerminal extends Terminal {
  /** Whether a full pipe still holds text back. */
  isWriting(): boolean
}

export function createNodeTerminal(): NodeTerminal {
  const { isTerminal, ...facts } = lookAtTerminal()
  const { write, isWriting, holdInput } = createWriter()
  return {
    ...facts,
    isWriting,
    out: (text) => write(1, text),
    err: (text) => write(2, text),
    async input() {
      const chunks: string[] = []
      for await (const chunk of process.stdin.setEncoding('utf8')) chunks.push(chunk as string)
      return chunks.join('')
    },
    inputWithin: async (ms) => (isPiped() ? readWithin(ms) : { kind: 'none' }),
    onInput({ onText, onEnd }) {
      holdInput()
      process.stdin.setEncoding('utf8').on('data', onText).on('end', onEnd)
    },
    onInterrupt(listener) {
      process.once('SIGINT', listener)
      return () => void process.off('SIGINT', listener)
    },
    onTyped: ({ onLine, onCancel }) => {
      const { stdin, stderr } = process
      const isKeyboard = mayBeTerminal(0) && stdin.isTTY && isTerminal.err
      const lines = process
        .getBuiltinModule('node:readline')
        // With an output, it reads keys and echoes them there. Ctrl-C arrives like any other key.
        .createInterface(isKeyboard ? { input: stdin, output: stderr } : { input: stdin })
      lines.setPrompt('')
      lines.on('line', onLine)
      lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
      const onKey = (_: unknown, key: { readonly name?: string } | undefined): void => {
        if (key?.name === 'escape') onCancel()
      }
      if (isKeyboard) stdin.on('keypress', onKey)
      return () => {
        stdin.off('keypress', onKey)
        lines.close()
        // Otherwise stdin would keep the process alive.
        stdin.pause()
      }
    },
    onTerminate: (listener) => void process.once('SIGTERM', listener),
    onHangup: (listener) => void process.on('SIGHUP', listener),
    async choose(question, options) {
      const { select } = await import('@clack/prompts')
      const answer = await select<string>({ message: question, options: [...options] })
      // Anything else is the marker of a cancelled question.
      return options.find(({ value }) => value === answer)?.value
    },
    async ask(question, { example, isSecret, fault } = {}) {
      const { isCancel, password, text } = await import('@clack/prompts')
      const validate = (answer: string | undefined): string | undefined => fault?.(answer ?? '')
      const answer = isSecret
        ? await password({ message: question, validate })
        : await text({
            message: question,
            validate,
            ...(example === undefined ? {} : { placeholder: example }),
          })
      // Enter alone is a valid answer: the empty text.
      return isCancel(answer) ? undefined : (answer ?? '')
    },
    edit: (command, file) => {
      const { spawn } = process.getBuiltinModule('node:child_process')
      // The file is a separate argument, so that the shell cannot run its name as code.
      const editor =
        process.platform === 'win32'
          ? spawn(`${command} "${file}"`, { shell: true, stdio: 'inherit' })
          : spawn('/bin/sh', ['-c', `${command} "$1"`, command, file], { stdio: 'inherit' })
      return new Promise((resolve, reject) => {
        editor.on('error', reject)
        editor.on('exit', (code) => resolve(code ?? undefined))
      })
    },
    size: () => ({ columns: process.stdout.columns || UNKNOWN_COLUMNS, rows: process.stdout.rows || 24 }),
    onResize(listener) {
      process.stdout.on('resize', listener)
      return () => void process.stdout.off('resize', listener)
    },
    onKeys(listener) {
      const { stdin } = process
      const onData = (chunk: string): void => listener(chunk)
      // Many calls may wait for one signal. Node's warning about that would appear on the screen.
      process.getBuiltinModule('node:events').setMaxListeners(0)
      stdin.setEncoding('utf8').setRawMode(true).on('data', onData).resume()
      write(1, PASTE_MARKS.on)
      return () => {
        write(1, PASTE_MARKS.off)
        stdin.off('data', onData).setRawMode(false).pause()
      }
    },
  }
}

/** Terminals that do not support them ignore them. */
const PASTE_MARKS = { on: '\x1b[?2004h', off: '\x1b[?2004l' }

/** Output of another program, or a file. */
function isPiped(): boolean {
  try {
    const stats = fstatSync(0)
    return stats.isFIFO() || stats.isFile() || stats.isSocket()
  } catch {
    return false // the descriptor is closed
  }
}

/** Reads all of the input, once some has come. */
function readWithin(ms: number): Promise<PipedInput> {
  const { stdin } = process
  return new Promise((resolve, reject) => {
    const chunks: string[] = []
    const onData = (chunk: string): void => {
      clearTimeout(timer)
      chunks.push(chunk)
    }
    const onEnd = (): void => settle(() => resolve({ kind: 'text', text: chunks.join('') }))
    const onError = (error: Error): void => settle(() => reject(error))
    const settle = (step: () => void): void => {
      clearTimeout(timer)
      // Paused, it does not keep the process alive.
      stdin.off('data', onData).off('end', onEnd).off('error', onError).pause()
      step()
    }
    const timer = setTimeout(() => settle(() => resolve({ kind: 'late' })), ms)
    stdin.setEncoding('utf8').on('data', onData).on('end', onEnd).on('error', onError)
  })
}
