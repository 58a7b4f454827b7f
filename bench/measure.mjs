/**
 * measure: what the benchmarks have in common.
 */

export function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}

/** How long it takes, in milliseconds. */
export function timed(work) {
  const before = performance.now()
  work()
  return performance.now() - before
}

/** What stands behind `--name`; undefined without it. */
export function argument(name) {
  const at = process.argv.indexOf(name)
  return at === -1 ? undefined : process.argv[at + 1]
}
