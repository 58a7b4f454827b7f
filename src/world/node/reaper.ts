/**
 * reaper: a small process that ends our children when we are gone, however we went.
 *
 * It reads group ids from a pipe that only we hold: `+ 123` and `- 123`. When the pipe ends, because we closed it, crashed
 * or were killed, it kills every group that is still on its list. One for this whole process, started with the first child.
 */

/** For `dash`, too: `kill -9 -123`, without `--`. */
const SCRIPT = `
groups=' '
while read -r sign id; do
  case $sign in
    +) groups="$groups$id " ;;
    -) groups="\${groups%% $id *} \${groups#* $id }" ;;
  esac
done
for id in $groups; do kill -9 -"$id" 2>/dev/null; done
`

interface Writable {
  write(line: string): unknown
}

export interface Reaper {
  watch(group: number): void
  forget(group: number): void
}

let reaper: Reaper | undefined

/** The one of this process. */
export function theReaper(): Reaper {
  reaper ??= createReaper()
  return reaper
}

function createReaper(): Reaper {
  const watched = new Set<number>()
  let input: Writable | undefined
  // Behind the children of this turn, so that none of them waits for it; until then there is only this turn to lose.
  setImmediate(() => {
    input = start()
    for (const group of watched) input.write(`+ ${group}\n`)
  }).unref()
  return {
    watch(group) {
      watched.add(group)
      input?.write(`+ ${group}\n`)
    },
    forget(group) {
      if (watched.delete(group)) input?.write(`- ${group}\n`)
    },
  }
}

function start(): Writable {
  const { spawn } = process.getBuiltinModule('node:child_process')
  // In a session of its own: Ctrl-C in the terminal must not end it before us.
  const shell = spawn('/bin/sh', ['-c', SCRIPT], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.on('error', () => undefined) // no shell: children are then ended by a close in good order only
  shell.stdin?.on('error', () => undefined)
  // It must not keep us alive; that it sees the end of the pipe is its only task.
  shell.unref()
  ;(shell.stdin as unknown as { unref?: () => void } | null)?.unref?.()
  return shell.stdin ?? { write: () => undefined }
}
