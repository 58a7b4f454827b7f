/**
 * child-output: what a child writes, read into memory that all children share.
 *
 * in     the end of its pipe that we read, of which nobody has read anything yet
 * out    its bytes, to be looked at before the call returns
 * never  loses a byte to how Node is made: a pipe without the parts that are needed is read as any stream is
 *
 * Node reads into the same memory again for sockets that are told so when they are made (`onread`); those of a child it
 * makes itself, without. So the handle is taken out of the pipe, and put into such a socket.
 */
import type { Socket, SocketConstructorOpts } from 'node:net'
import type { Readable } from 'node:stream'
import { sharedMemory } from './shared-memory.ts'

export function readOutput(pipe: Readable, onBytes: (bytes: Uint8Array) => void): void {
  const handle = takeHandle(pipe)
  if (handle === undefined) return void pipe.on('data', onBytes)
  const socket = openSocket(handle, onBytes)
  // The end of the one is the end of the other: a child is over when its pipe is, and who closes that means this.
  socket.on('error', () => undefined)
  socket.on('close', () => pipe.destroy())
  pipe.on('close', () => socket.destroy())
}

interface Handle {
  useUserBuffer(bytes: Uint8Array): void
}

/** Undefined where Node is made otherwise than Node 20 to 24 are, or it is not Node. */
function takeHandle(pipe: Readable & { _handle?: Partial<Handle> | null }): Handle | undefined {
  // oxlint-disable-next-line no-underscore-dangle -- Node's name
  const { _handle: handle } = pipe
  if (typeof handle?.useUserBuffer !== 'function') return undefined
  // Who does not have it neither reads it nor closes it.
  // oxlint-disable-next-line no-underscore-dangle -- Node's name
  pipe._handle = null
  return handle as Handle
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
