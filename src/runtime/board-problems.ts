/**
 * board-problems: requests that no connection can answer, and servers that are not connected to answer them.
 */
import { findNearest } from '../base/edit-distance.ts'
import { inShell } from '../base/in-shell.ts'
import { toPrintable } from '../base/printable.ts'
import type { AdmittedServer, CatalogEntry } from '../model/catalog.ts'
import { NEEDS_PAGE, type WantedPage } from '../model/elicitation.ts'
import type { Problem } from '../model/problem.ts'
import { createProblem, createWarning, whereOrigin } from '../problem/problem.ts'

export function unknownServer(name: string, known: readonly string[]): Problem {
  const nearest = findNearest(name, known)
  return createProblem({
    code: 'connect/unknown-server',
    message: `no server is named \`${name}\``,
    hints: [
      ...(nearest === undefined ? [] : [`did you mean \`${nearest}\`?`]),
      'to see every server and the file it came from, run `plugboard list --all`',
    ],
  })
}

/** Nothing was sent. The server may become ready later. */
export function notReady(name: string, afterMs: number): Problem {
  return createProblem({
    code: 'connect/not-ready',
    message: `\`${name}\` was not ready after ${afterMs} ms`,
    hints: [`to see how far it comes, run \`plugboard test ${inShell(name)}\``],
  })
}

export const NOT_WAITED_FOR = 'it was not ready in time when it was last tried, so it was hardly waited for'

/** Nothing is known of the server, and the board no longer waits for it. */
export function notHere(name: string, afterMs: number, why: 'late' | 'slow'): Problem {
  return createWarning({
    code: 'connect/not-ready',
    message: `\`${name}\` is not ready after ${afterMs} ms, and what it offers is not here`,
    notes: why === 'late' ? [NOT_WAITED_FOR] : [],
    hints: [`to see how far it comes, run \`plugboard test ${inShell(name)}\``],
  })
}

/** How messages name a change: with `/mcp` in a shell of ours or of the host's, or with the command. */
export type Words = 'slash' | 'command'

/** The server is declared, but its fate is not to run. */
export function notConnectable({ entry, fate }: CatalogEntry, words: Words = 'slash'): Problem {
  const { name, origin } = entry.found
  return createProblem({
    code: 'connect/not-chosen',
    message:
      fate.kind === 'disabled'
        ? `Server "${name}" is disabled. Run ${words === 'slash' ? '/mcp' : 'plugboard'} enable ${name} first.`
        : `\`${name}\` cannot be connected: it is ${fate.kind}`,
    where: whereOrigin(origin, name),
    notes: 'reason' in fate ? [fate.reason] : [],
    hints:
      fate.kind === 'untrusted'
        ? ['to look at it and decide, run `plugboard trust`']
        : [`to see why, run \`plugboard explain ${name}\``],
  })
}

/** The server answered that the user must open a page first. */
export function needsPage({ name, found }: AdmittedServer, pages: readonly WantedPage[]): Problem {
  const shown = pages.slice(0, MAX_PAGES)
  return createProblem({
    code: NEEDS_PAGE,
    message: `\`${name}\` needs you to open a page in your browser before it can do this`,
    where: whereOrigin(found.origin, name),
    notes: shown.flatMap(({ url, message }) => [
      `page: ${toPrintable(url).slice(0, MAX_URL)}`,
      ...(typeof message === 'string' && message.trim() !== ''
        ? [`it said: "${toPrintable(message.replace(/\s+/g, ' ').trim()).slice(0, 300)}"`]
        : []),
    ]),
    hints: ['look at the address, open it if you trust it, finish what it asks for, and then try again'],
  })
}

/** No user opens more than a few. */
const MAX_PAGES = 3

/** Half of an address leads nowhere, so only a text too long for an address is cut. */
const MAX_URL = 4096

/** One caller in this process disconnected the server while another caller waited. */
export function disconnected(name: string): Problem {
  return createProblem({ code: 'connect/closed', message: `\`${name}\` was disconnected` })
}

export function noSubscriptions(name: string): Problem {
  return createProblem({
    code: 'connect/no-subscriptions',
    message: `\`${name}\` does not offer to tell when a resource changes`,
    hints: ['read the resource again when it is needed'],
  })
}

/** The longest part of a server's own words that is quoted. */
const QUOTE_LENGTH = 300

export function subscriptionLost(
  { server, uri }: { readonly server: string; readonly uri: string },
  error: Error,
): Problem {
  return createWarning({
    code: 'connect/subscription-lost',
    message: `\`${server}\` does not tell any more when \`${toPrintable(uri)}\` changes`,
    notes: [toPrintable(error.message.slice(0, QUOTE_LENGTH))],
    hints: [`to begin anew, reconnect \`${server}\``],
  })
}
