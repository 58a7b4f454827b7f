/**
 * shared-memory: where what children write to stdout is read into, and what comes over plain HTTP.
 *
 * out    memory whose bytes are those of whoever was read last: to be looked at, or copied, before the next read
 *
 * For each read Node makes 64 kB of memory anew, which is a tenth of what a short call takes, and half of what V8 has to
 * collect for a long one.
 */

/** As much as Linux keeps for one who does not read. A page of it is there once something was read into it. */
const SHARED_BYTES = 256 * 1024

let shared: Buffer | undefined

export function sharedMemory(): Buffer {
  shared ??= Buffer.allocUnsafeSlow(SHARED_BYTES)
  return shared
}

/** Bun and Deno call themselves Node, too, and have some of what is needed in name only. */
export function canShare(): boolean {
  return !('bun' in process.versions || 'deno' in process.versions)
}
