/**
 * stay-awake: the loop turns for a moment in place of sleeping.
 *
 * in     for how long, in milliseconds; the last word counts, and 0 takes it back
 * never  on the only processor, which others need to bring what is waited for
 *
 * To wake a processor that has gone to sleep takes 20 to 40 microseconds where it is a guest of another machine, and both
 * sides of a call go to sleep in it. A server that answers in less is waited for awake, which takes no more work than
 * being woken up.
 */

let until = 0
let isLooking = false
let isAlone: boolean | undefined

export function stayAwake(ms: number): void {
  isAlone ??= process.getBuiltinModule('node:os').availableParallelism() === 1
  if (isAlone) return
  until = ms === 0 ? 0 : performance.now() + ms
  if (ms === 0 || isLooking) return
  isLooking = true
  setImmediate(look)
}

/** While something is to be done at once, the loop does not sleep in its search for what came. */
function look(): void {
  if (performance.now() < until) setImmediate(look)
  else isLooking = false
}
