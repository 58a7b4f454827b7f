/**
 * writers: two servers that say as much as can be said, as each agent writes them. Read the snapshot as a user of that
 * agent would.
 */
import { describe, expect, test } from 'vitest'
import { WRITERS, type WritableSource } from '../../../src/edit/dialects/all-writers.ts'
import { writeEntry, type ServerToWrite } from '../../../src/edit/write-entry.ts'

const STARTED: ServerToWrite = {
  definition: {
    name: 'files',
    transport: {
      type: 'stdio',
      command: ['npx'],
      args: [['-y'], ['@acme/files'], [{ kind: 'env', name: 'HOME' }, '/notes']],
      env: new Map([
        ['TOKEN', [{ kind: 'env', name: 'TOKEN' }]],
        ['LEVEL', [{ kind: 'env', name: 'LEVEL', fallback: 'info' }]],
        ['KEY', [{ kind: 'file', path: '~/.key' }]],
        ['PIN', [{ kind: 'input', id: 'pin' }]],
        ['MODE', ['strict']],
      ]),
      envFile: ['.env'],
      cwd: ['/srv'],
    },
    timeoutMs: 1500,
    startupTimeoutMs: 20_000,
    required: true,
    includeTools: ['read_*'],
    excludeTools: ['read_media'],
    description: 'Notes',
    values: 'literal',
  },
  power: 'off',
}

const REACHED: ServerToWrite = {
  definition: {
    name: 'issues',
    transport: {
      type: 'http',
      url: ['https://issues.example/mcp'],
      headers: new Map([
        ['Authorization', ['Bearer ', { kind: 'env', name: 'ISSUES_TOKEN' }]],
        ['X-Team', [{ kind: 'env', name: 'TEAM' }]],
        ['X-Mode', ['strict']],
      ]),
      headersHelper: ['issue-headers'],
      oauth: {
        clientId: ['me'],
        clientSecret: [{ kind: 'env', name: 'ISSUES_SECRET' }],
        scopes: ['read', 'write'],
        callbackPort: 4000,
        grantType: 'client_credentials',
      },
      fallback: 'sse',
    },
    timeoutMs: 60_000,
    startupTimeoutMs: 60_000,
    values: 'literal',
  },
  power: 'on',
}

describe.each(Object.keys(WRITERS) as WritableSource[])('%s', (source) => {
  test.each([
    ['a server to start', STARTED],
    ['a server to reach', REACHED],
  ])('%s', (_, server) => {
    const written = writeEntry(server, WRITERS[source])
    const shown =
      written.kind === 'impossible'
        ? `no servers of kind ${written.serverKind}`
        : [
            JSON.stringify(written.entry, undefined, 2),
            ...written.unsaid.map(({ field, why = 'has no word for it' }) => `${field}: ${why}`),
          ].join('\n')
    expect(shown).toMatchSnapshot()
  })
})
