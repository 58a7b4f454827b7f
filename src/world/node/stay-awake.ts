/**
 * stay-awake: the loop turns for a moment in place of sleeping.
 *
 * in     for how long, in milliseconds, and who waits; 0 when it is over
 * never  on the only processor, which others need to bring what is waited for; for two at once: what comes together is
 *        better read together, and while one of them is waited for, the other one is heard as well
 *
 * To wake a processor that has gone to sleep takes 20 to 40 microseconds where it is a guest of another machine, and both
 * sides of a call go to sleep in it. Where the answer comes in about that time, waiting for it takes no more work than
 * being woken up; what comes later wastes what was waited.
 */

/** The one who waits. */
let waiting: object | undefined
let until = 0
/** How often it may look: should the clock stand still, as in somebody's tests, it ends nevertheless. */
let left = 0
let nextLook: NodeJS.Immediate | undefined
let isAlone: boolean | undefined

/** No turn takes less than half a microsecond. */
const TURNS_PER_MS = 2000

export function stayAwake(ms: number, who: object): void {
  const isTaken = waiting !== undefined && waiting !== who
  if (ms === 0 && isTaken) return
  if (ms === 0 || isTaken) return sleep()
  if (isOnlyProcessor()) return
  waiting = who
  until = performance.now() + ms
  left = ms * TURNS_PER_MS
  nextLook ??= setImmediate(look)
}

/** At once: a turn more would read less of what comes together. */
function sleep(): void {
  waiting = undefined
  clearImmediate(nextLook)
  nextLook = undefined
}

/** While something is to be done at once, the loop does not sleep in its search for what came. */
function look(): void {
  if (left-- > 0 && performance.now() < until) nextLook = setImmediate(look)
  else sleep()
}

function isOnlyProcessor(): boolean {
  isAlone ??= process.getBuiltinModule('node:os').availableParallelism() === 1
  return isAlone
}
