/**
 * problems: faults of files that discovery finds before it reads their entries.
 */
import { toCommandLine } from '../../base/command-line.ts'
import { findLineStarts, type ConfigDocument, type ConfigNode, describeKind } from '../../model/document.ts'
import type { ConnectorRefusal } from '../../model/catalog.ts'
import type { Origin } from '../../model/origin.ts'
import type { Problem, Where } from '../../model/problem.ts'
import { tryUrl } from '../../model/signature.ts'
import { createProblem, createWarning, whereFault, whereOf, whereOrigin } from '../../problem/problem.ts'
import type { Unreadable } from '../../world/world.ts'

type Owner = Pick<Where, 'source' | 'scope'>

export function unreadableFile(file: string, why: Unreadable, owner: Owner = {}): Problem {
  const base = {
    code: 'discover/unreadable',
    where: { file, ...owner },
    notes: ['every other file was loaded'],
  }
  const hints =
    owner.source === undefined || owner.scope === 'dynamic'
      ? []
      : [`move it away, or turn this place off in settings: \`"sources": { "${owner.source}": false }\``]
  switch (why.kind) {
    case 'not-a-file':
      return createProblem({
        ...base,
        message: `a file is expected here, but it is ${why.what}`,
        hints,
      })
    case 'denied':
      return createProblem({
        ...base,
        message: 'you may not read this file',
        hints: [`give yourself access: \`${toCommandLine('chmod u+r', [file], 'linux')}\``],
      })
    case 'link-loop':
      return createProblem({ ...base, message: 'this link leads back to itself', hints: ['remove the link'] })
    case 'too-large':
      return createProblem({
        ...base,
        message: `this file is too large to be configuration: ${megabytes(why.bytes)}, and the limit is ${megabytes(why.maxBytes)}`,
        hints,
      })
    case 'not-utf8':
      return createProblem({
        ...base,
        code: 'discover/not-utf8',
        message: 'this file is not UTF-8 text',
        where: endOf(file, why.before, owner),
        hints: ['save it as UTF-8'],
      })
    case 'failed':
      return createProblem({ ...base, message: `this file could not be read: ${why.message}` })
  }
}

/**
 * A file of a repository that is larger than a project needs: reading all of it would delay every command in that
 * folder.
 */
export function tooManyValues(
  document: ConfigDocument,
  node: Pick<ConfigNode, 'start' | 'end'>,
  given: { readonly owner: Owner; readonly limit: string },
): Problem {
  return createProblem({
    code: 'discover/too-many-values',
    message: `this file holds more than ${given.limit}, the limit for a file of a repository`,
    where: whereOf(document, node, given.owner),
    notes: ['nothing in this file was loaded; every other file was'],
    hints: ['remove what is not needed, or keep the servers in a file of your own'],
  })
}

/** The file could be read before and its servers still count, so this is a warning. */
export function outOfDate(problem: Problem): Problem {
  const notes = ['what it said before still counts']
  return { ...problem, code: 'discover/stale', severity: 'warning', notes }
}

export function unparseable(
  text: { readonly file: string; readonly text: string },
  fault: { readonly message: string; readonly start: number; readonly end: number },
  owner: Owner & { readonly format: string },
): Problem {
  const { format, ...rest } = owner
  const document = { ...text, lineStarts: findLineStarts(text.text) }
  return createProblem({
    code: 'discover/unparseable',
    message: `this ${format} file does not parse: ${fault.message}`,
    where: whereFault(document, fault, rest),
    notes: ['nothing in this file was loaded; every other file was'],
  })
}

export function wrongShape(document: ConfigDocument, node: ConfigNode, what: string, owner: Owner): Problem {
  return createProblem({
    code: 'discover/wrong-shape',
    message: `${what} must be an object, but is ${describeKind(node)}`,
    where: whereOf(document, node, owner),
  })
}

/** A wrong item in a list of server names, or a wrong value in place of the list. */
export function wrongList(document: ConfigDocument, node: ConfigNode, path: string, owner: Owner): Problem {
  return createProblem({
    code: 'discover/wrong-list',
    message: `\`${path}\` must be a list of server names, but here is ${describeKind(node)}`,
    where: whereOf(document, node, owner),
    notes: ['it turns nothing on or off'],
  })
}

/** Servers under a key that this agent does not read. The agent drops them without a message. */
export function wrongKey(origin: Origin, server: string, found: string, expected: string): Problem {
  return createWarning({
    code: 'discover/wrong-key',
    message: `\`${server}\` stands under \`${found}\`, but this file is read for \`${expected}\``,
    where: whereOrigin(origin, server),
    hints: [`rename \`${found}\` to \`${expected}\``],
  })
}

export function noKey(origin: Origin, server: string, expected: string): Problem {
  return createWarning({
    code: 'discover/no-key',
    message: `\`${server}\` stands at the top of the file, but this file is read for \`${expected}\``,
    where: whereOrigin(origin, server),
    hints: [`put it under \`${expected}\``],
  })
}

export function duplicateKey(origin: Origin, server: string): Problem {
  return createWarning({
    code: 'discover/duplicate-key',
    message: `\`${server}\` is written twice in this file; the last one counts`,
    where: whereOrigin(origin, server),
    hints: ['remove one of them'],
  })
}

/** A server in a map that the file writes again further down. */
export function replacedMap(origin: Origin, server: string, path: string): Problem {
  return createWarning({
    code: 'discover/replaced-map',
    message: `\`${server}\` is lost, because \`${path}\` is written twice in this file and the last one counts`,
    where: whereOrigin(origin, server),
    hints: [`move it into the last \`${path}\``],
  })
}

export function missingDynamic(file: string): Problem {
  return createProblem({
    code: 'discover/no-such-config',
    message: '`--mcp-config` names a file that is not there',
    where: { file, source: 'plugboard', scope: 'dynamic' },
    hints: ['give the path of a file, or the JSON itself: `--mcp-config \'{"mcpServers":{…}}\'`'],
  })
}

export function badServersOption(): Problem {
  return createProblem({
    code: 'discover/bad-option',
    message: 'the option `servers` holds something that JSON cannot say',
    hints: ['give plain objects, as they would stand under `mcpServers`'],
  })
}

export function connectorFailed(url: string, by: Where, reason: string): Problem {
  return createWarning({
    code: 'discover/connector',
    message: `the connector \`${showUrl(url)}\` could not be fetched: ${reason}`,
    where: by,
    notes: ['its last copy, if there is one, is used'],
  })
}

export function connectorUnfetched(url: string, by: Where): Problem {
  return createProblem({
    severity: 'info',
    code: 'discover/connector-unfetched',
    message: `the connector \`${showUrl(url)}\` has not been fetched yet`,
    where: by,
    hints: ['to fetch it now, run `plugboard doctor --run`'],
  })
}

export function connectorExcluded(url: string, by: Where, refusal: ConnectorRefusal): Problem {
  const { rule, file, line } = refusal.by
  const place = file === undefined ? undefined : line === undefined ? file : `${file}:${line}`
  const decider = [rule === undefined ? [] : `\`${rule}\``, place ?? []].flat().join(', ')
  return createProblem({
    severity: 'info',
    code: 'discover/connector-excluded',
    message: `the connector \`${showUrl(url)}\` is excluded and not fetched: ${refusal.reason}`,
    where: by,
    notes: decider === '' ? [] : [`decided by ${decider}`],
  })
}

/** Without user name, password and query, which may hold secrets. */
function showUrl(url: string): string {
  const parsed = tryUrl(url)
  return parsed === undefined ? url : parsed.origin + parsed.pathname
}

function endOf(file: string, text: string, owner: Owner): Where {
  const lineStarts = findLineStarts(text)
  return { file, line: lineStarts.length, column: text.length - lineStarts.at(-1)! + 1, ...owner }
}

function megabytes(bytes: number): string {
  return `${Math.round((bytes / 1024 / 1024) * 10) / 10} MB`
}
