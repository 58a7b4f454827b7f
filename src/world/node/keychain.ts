/**
 * keychain: the keychain of the system, through `@napi-rs/keyring`, which may not exist for this machine.
 *
 * in     the platform, and the environment that says how to reach it
 * out    items of ours, under one service
 * never  loads anything before the first call; waits longer than a few seconds, since a locked keychain may ask a user
 *        who is not there; uses the kernel's keyring instead, which forgets everything when the machine restarts
 */
import { existsSync } from 'node:fs'
import type { AsyncEntry } from '@napi-rs/keyring'
import type { Env, Keychain, Platform } from '../world.ts'

const SERVICE = 'plugboard'

const LIMIT_MS = 5000

export function createNodeKeychain(platform: Platform, env: Env): Keychain {
  const ask = async <T>(
    item: string,
    question: (entry: AsyncEntry, signal: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    const entry = new AsyncEntry(SERVICE, item, { linux: { store: 'secret-service' } })
    return within(LIMIT_MS, (signal) => question(entry, signal))
  }
  return {
    get mayWork() {
      return env['PLUGBOARD_KEYCHAIN'] !== 'off' && (platform !== 'linux' || hasSessionBus(env))
    },
    get: async (item) => (await ask(item, (entry, signal) => entry.getPassword(signal))) ?? undefined,
    set: (item, secret) => ask(item, (entry, signal) => entry.setPassword(secret, signal)),
    remove: async (item) => void (await ask(item, (entry, signal) => entry.deletePassword(signal))),
  }
}

/** Over SSH, in a container and in CI there is no session bus, and a call would only take time. */
function hasSessionBus(env: Env): boolean {
  const address = env['DBUS_SESSION_BUS_ADDRESS']
  if (address !== undefined && address !== '') return true
  const folder = env['XDG_RUNTIME_DIR']
  return folder !== undefined && folder.startsWith('/') && existsSync(`${folder}/bus`)
}

/** The native code gets the limit as a signal, too, but may be deep in a call that does not return. */
function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController()
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`the keychain gave no answer within ${ms / 1000} s`))
      controller.abort()
    }, ms)
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => clearTimeout(timer))
  })
}
