/**
 * browser: an `xdg-open` whose browser has a user who agrees to every sign-in.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { agreeing } from '../runtime/login-stage.ts'
import type { AuthorizationServer } from '../servers/authorization-server.ts'
import { putPrograms, type Machine } from './plugboard.ts'

export interface TestBrowser extends AsyncDisposable {
  /** The PATH on which it is found, and little else. */
  readonly path: string
  /** That were opened. */
  readonly pages: readonly string[]
}

export async function putBrowser(
  machine: Machine,
  { approve }: Pick<AuthorizationServer, 'approve'>,
): Promise<TestBrowser> {
  const pages: string[] = []
  const desktop = createServer((request, response) => {
    const page = decodeURIComponent(request.url!.slice(2))
    pages.push(page)
    response.end()
    void agreeing(approve)(page)
  })
  desktop.listen(0, '127.0.0.1')
  await once(desktop, 'listening')
  const { port } = desktop.address() as AddressInfo
  const folder = putPrograms(machine, '~/openers', ['xdg-open'])
  const call = `fetch('http://127.0.0.1:${port}/?' + encodeURIComponent(process.argv[1]))`
  machine.write({ '~/openers/xdg-open': `#!/bin/sh\nexec "${process.execPath}" -e "${call}" "$1"\n` })
  return {
    path: `${folder}:/usr/bin:/bin`,
    pages,
    async [Symbol.asyncDispose]() {
      desktop.closeAllConnections()
      desktop.close()
      await once(desktop, 'close')
    },
  }
}
