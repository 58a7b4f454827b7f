/**
 * browser: opens a page in the user's browser, with a program of this machine.
 *
 * in     the address of a page
 * out    the first opener that exists and exits cleanly, or is still alive after a moment: some stay with the browser
 * never  goes through a shell: `&` in an address would end the command there, and did (`cmd /c start`)
 */
import type { Browser, Env, Platform } from '../world.ts'

type Opener = readonly [command: string, ...args: string[]]

const OPENERS: Readonly<Record<Platform, readonly Opener[]>> = {
  linux: [['xdg-open'], ['gio', 'open'], ['wslview'], ['kde-open'], ['gnome-open']],
  darwin: [['open']],
  win32: [['rundll32', 'url.dll,FileProtocolHandler']],
}

/** An opener that lives this long has found a browser. */
const GRACE_MS = 500

export function createNodeBrowser(platform: Platform, env: Env): Browser {
  return {
    async open(url) {
      const tried: string[] = []
      for (const opener of OPENERS[platform]) {
        const name = opener.slice(0, platform === 'win32' ? 1 : undefined).join(' ')
        if (await works(opener, url, env)) return { kind: 'opened', opener: name }
        tried.push(name)
      }
      return { kind: 'no-opener', tried }
    },
  }
}

function works([command, ...args]: Opener, url: string, env: Env): Promise<boolean> {
  return new Promise((resolve) => {
    const child = process.getBuiltinModule('node:child_process').spawn(command, [...args, url], {
      env: env as NodeJS.ProcessEnv,
      stdio: 'ignore',
      // The browser belongs to the user, and stays open when this process exits.
      detached: true,
      windowsHide: true,
    })
    const timer = setTimeout(() => resolve(true), GRACE_MS)
    const settle = (isFine: boolean): void => {
      clearTimeout(timer)
      resolve(isFine)
    }
    child.once('error', () => settle(false))
    child.once('exit', (code) => settle(code === 0))
    child.unref()
  })
}
