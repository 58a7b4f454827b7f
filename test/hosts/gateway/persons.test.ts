/**
 * persons: several people of one issuer, in front of the built gateway.
 */
import { describe, expect, test } from 'vitest'
import type { Era } from '../../../src/model/session.ts'
import { openMachine, type Machine } from '../../processes/plugboard.ts'
import { startServing, type ServingProcess } from '../../processes/serve.ts'
import { startSigningIssuer, type SigningIssuer } from '../../servers/signing-issuer.ts'
import { gone, server, type Who } from './daemon.ts'
import { connectClient, httpTransport, textOf, writeSettings, type TestClient } from './open.ts'

const ERAS: readonly Era[] = ['legacy', 'modern']

function start(
  machine: Machine,
  issuer: SigningIssuer,
  servers: object,
  gateway?: object,
): Promise<ServingProcess> {
  writeSettings(machine.home, { servers, gateway })
  return startServing(machine, '--http', '0', '--auth-issuer', issuer.issuer)
}

async function connect(
  gateway: ServingProcess,
  issuer: SigningIssuer,
  { person, era, name }: { readonly person: string; readonly era: Era; readonly name: string },
): Promise<TestClient> {
  const token = await issuer.sign({ aud: gateway.url.href, sub: person })
  return connectClient(httpTransport(new URL('/mcp/one', gateway.url), token), { era, name })
}

const whoOf = async ({ client }: TestClient): Promise<Who> =>
  JSON.parse(textOf(await client.callTool({ name: 'who', arguments: {} }))) as Who

describe.each(ERAS)('persons of an issuer, as %s clients', (era) => {
  test('each have a process of a stdio server, which all their clients share', async () => {
    using machine = openMachine()
    await using issuer = await startSigningIssuer()
    await using gateway = await start(machine, issuer, { one: server('tells-who') })
    await using ada = await connect(gateway, issuer, { person: 'ada', era, name: 'a' })
    await using again = await connect(gateway, issuer, { person: 'ada', era, name: 'b' })
    await using bob = await connect(gateway, issuer, { person: 'bob', era, name: 'a' })
    const [first, second, other] = [await whoOf(ada), await whoOf(again), await whoOf(bob)]
    expect(second.pid).toBe(first.pid)
    expect(other.pid).not.toBe(first.pid)
    expect([first.calls, second.calls, other.calls]).toEqual([1, 2, 1])
  })

  test('share one where its entry says so', async () => {
    using machine = openMachine()
    await using issuer = await startSigningIssuer()
    const one = server('tells-who', { isolation: 'shared' })
    await using gateway = await start(machine, issuer, { one })
    await using ada = await connect(gateway, issuer, { person: 'ada', era, name: 'a' })
    await using bob = await connect(gateway, issuer, { person: 'bob', era, name: 'a' })
    expect((await whoOf(bob)).pid).toBe((await whoOf(ada)).pid)
  })

  test('take the process of whoever was idle for longest when there are too many', async () => {
    using machine = openMachine()
    await using issuer = await startSigningIssuer()
    await using gateway = await start(machine, issuer, { one: server('tells-who') }, { maxPerServer: 2 })
    await using ada = await connect(gateway, issuer, { person: 'ada', era, name: 'a' })
    await using bob = await connect(gateway, issuer, { person: 'bob', era, name: 'a' })
    await using eve = await connect(gateway, issuer, { person: 'eve', era, name: 'a' })
    const first = await whoOf(ada)
    const second = await whoOf(bob)
    const third = await whoOf(eve)
    await gone(first.pid)
    expect((await whoOf(bob)).pid).toBe(second.pid)
    expect(third.calls).toBe(1)
    expect((await whoOf(ada)).pid).not.toBe(first.pid)
  })
})

test('a person cannot name folders of the machine on which a server runs', async () => {
  using machine = openMachine()
  await using issuer = await startSigningIssuer()
  await using gateway = await start(machine, issuer, { one: server('asks-back') })
  for (const era of ERAS) {
    await using ada = await connect(gateway, issuer, { person: 'ada', era, name: era })
    const asked = ada.client.callTool({ name: 'ask', arguments: { only: ['roots'] } })
    const said = await asked.then(textOf, (error: Error) => error.message)
    expect(said).not.toContain('file:///shop')
    expect(ada.asked).toEqual([])
  }
})
