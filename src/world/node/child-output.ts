/**
 * child-output: what a child writes, read into memory that all children share.
 *
 * in     a child that was started right now: nobody has read anything of its output yet
 * out    its bytes, to be looked at before the call returns; and the stream that is closed when all of them were told, or
 *        that who wants no more destroys
 * never  loses a byte to how Node is made: a pipe without the parts that are needed is read as any stream is
 *
 * Node reads into the same memory again for sockets that are told so when they are made (`onread`); those of a child it
 * makes itself, without. So the handle is taken out of the child's, which is of no more use, and put into such a socket.
 */
import type { ChildProcess } from 'node:child_process'
import type { Socket, SocketConstructorOpts } from 'node:net'
import type { Readable } from 'node:stream'
import { canShare, sharedMemory } from './shared-memory.ts'

/** Undefined: it has no output. */
export function readOutput(
  child: Pick<ChildProcess, 'stdio' | 'stdout'>,
  onBytes: (bytes: Uint8Array) => void,
): Readable | undefined {
  const pipe = child.stdout
  // Not even null, when the system has no more pipes to give.
  if (!pipe) return undefined
  const handle = takeHandle(pipe)
  if (handle === undefined) return pipe.on('data', onBytes)
  forget(child, pipe)
  return openSocket(handle, onBytes)
}

interface Handle {
  useUserBuffer(bytes: Uint8Array): void
}

/** Undefined where Node is made otherwise than Node 20 to 24 are. */
function takeHandle(pipe: Readable & { _handle?: Partial<Handle> | null }): Handle | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- Node's name
  const { _handle: handle } = pipe
  if (typeof handle?.useUserBuffer !== 'function' || !canShare()) return undefined
  // Who does not have it neither reads it nor closes it.
  // oxlint-disable-next-line no-underscore-dangle -- Node's name
  pipe._handle = null
  return handle as Handle
}

/** A kilobyte for each server. To `ChildProcess` it is a pipe that is closed. */
function forget(child: Pick<ChildProcess, 'stdio' | 'stdout'>, pipe: Readable): void {
  pipe.destroy()
  child.stdout = null
  ;(child.stdio as (unknown | null)[])[1] = null
}

function openSocket(handle: Handle, onBytes: (bytes: Uint8Array) => void): Socket {
  const buffer = sharedMemory()
  const callback = (length: number): boolean => {
    onBytes(buffer.subarray(0, length))
    return true
  }
  const { Socket } = process.getBuiltinModule('node:net')
  // The types know of neither.
  return new Socket({ handle, onread: { buffer, callback } } as SocketConstructorOpts)
}
