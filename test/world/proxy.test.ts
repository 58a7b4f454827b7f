/**
 * proxy: which way an address is reached, as data.
 */
import { describe, expect, test } from 'vitest'
import { findRoute, type Proxy } from '../../src/world/proxy.ts'

type Env = Readonly<Record<string, string>>

/** `direct`, or the proxy and the variable that names it. */
function wayTo(url: string, env: Env): string {
  const route = findRoute(url, env)
  if (route.kind === 'direct') return 'direct'
  const { proxy, variable } = route.kind === 'proxy' ? route.proxy.via : route.via
  return route.kind === 'proxy'
    ? `${proxy} (${variable})`
    : `unusable ${proxy} (${variable}): ${route.message}`
}

function proxyOf(value: string): Proxy | undefined {
  const route = findRoute('https://a.test', { HTTPS_PROXY: value })
  return route.kind === 'proxy' ? route.proxy : undefined
}

describe('the variable', () => {
  test.each<[string, Env, string]>([
    ['http://a.test/mcp', {}, 'direct'],
    ['http://a.test/mcp', { HTTP_PROXY: 'http://p.test:1' }, 'http://p.test:1 (HTTP_PROXY)'],
    ['http://a.test/mcp', { http_proxy: 'http://p.test:1' }, 'http://p.test:1 (http_proxy)'],
    ['ws://a.test/mcp', { http_proxy: 'http://p.test:1' }, 'http://p.test:1 (http_proxy)'],
    ['https://a.test/mcp', { HTTPS_PROXY: 'http://p.test:2' }, 'http://p.test:2 (HTTPS_PROXY)'],
    ['wss://a.test/mcp', { https_proxy: 'http://p.test:2' }, 'http://p.test:2 (https_proxy)'],
    ['https://a.test/mcp', { HTTP_PROXY: 'http://p.test:1' }, 'direct'],
    ['http://a.test/mcp', { HTTPS_PROXY: 'http://p.test:1' }, 'direct'],
    ['https://a.test/mcp', { ALL_PROXY: 'http://p.test:3' }, 'http://p.test:3 (ALL_PROXY)'],
    ['http://a.test/mcp', { all_proxy: 'http://p.test:3' }, 'http://p.test:3 (all_proxy)'],
    ['http://a.test', { HTTP_PROXY: 'http://b:1', http_proxy: 'http://s:1' }, 'http://s:1 (http_proxy)'],
    ['http://a.test', { HTTP_PROXY: 'http://b:1', http_proxy: '' }, 'http://b:1 (HTTP_PROXY)'],
    ['http://a.test', { HTTP_PROXY: 'http://h:1', ALL_PROXY: 'http://x:1' }, 'http://h:1 (HTTP_PROXY)'],
    // No exception that nobody asked for.
    ['http://127.0.0.1:3000/mcp', { HTTP_PROXY: 'http://p.test:1' }, 'http://p.test:1 (HTTP_PROXY)'],
    ['http://localhost/mcp', { HTTP_PROXY: 'http://p.test:1' }, 'http://p.test:1 (HTTP_PROXY)'],
    ['not an address', { ALL_PROXY: 'http://p.test:1' }, 'direct'],
    ['file:///etc/hosts', { ALL_PROXY: 'http://p.test:1' }, 'direct'],
  ])('for %s with %o: %s', (url, env, way) => {
    expect(wayTo(url, env)).toBe(way)
  })
})

describe('NO_PROXY', () => {
  test.each<[string, string, 'direct' | 'proxy']>([
    ['*', 'https://a.test', 'direct'],
    ['b.test, *', 'https://a.test', 'direct'],
    ['a.test', 'https://a.test', 'direct'],
    ['A.Test', 'https://a.test', 'direct'],
    ['a.test', 'https://www.a.test', 'direct'],
    ['.a.test', 'https://www.a.test', 'direct'],
    ['.a.test', 'https://a.test', 'direct'],
    ['*.a.test', 'https://www.a.test', 'direct'],
    ['a.test.', 'https://a.test', 'direct'],
    ['a.test', 'https://a.test.', 'direct'],
    ['a.test', 'https://banana.test', 'proxy'],
    ['www.a.test', 'https://a.test', 'proxy'],
    ['b.test,a.test', 'https://a.test', 'direct'],
    ['b.test a.test', 'https://a.test', 'direct'],
    [' , ,', 'https://a.test', 'proxy'],
    ['a.test:443', 'https://a.test', 'direct'],
    ['a.test:8443', 'https://a.test', 'proxy'],
    ['a.test:8443', 'https://a.test:8443', 'direct'],
    ['.a.test:80', 'ws://x.a.test', 'direct'],
    ['127.0.0.1', 'http://127.0.0.1:3000', 'direct'],
    ['127.0.0.1:3000', 'http://127.0.0.1:3001', 'proxy'],
    ['127.0.0.0/8', 'http://127.0.0.1:3000', 'direct'],
    ['10.1.0.0/16', 'http://10.1.255.1', 'direct'],
    ['10.1.0.0/16', 'http://10.2.0.1', 'proxy'],
    ['192.168.1.1/32', 'http://192.168.1.2', 'proxy'],
    ['0.0.0.0/0', 'http://8.8.8.8', 'direct'],
    ['10.0.0.0/8', 'http://ten.test', 'proxy'],
    ['::1', 'http://[::1]:3000', 'direct'],
    ['[::1]', 'http://[::1]:3000', 'direct'],
    ['[::1]:3000', 'http://[::1]:3000', 'direct'],
    ['[::1]:3000', 'http://[::1]:3001', 'proxy'],
  ])('%s and %s: %s', (list, url, way) => {
    for (const name of ['NO_PROXY', 'no_proxy']) {
      expect(findRoute(url, { ALL_PROXY: 'http://p.test:1', [name]: list }).kind).toBe(way)
    }
  })
})

describe('what the variable says', () => {
  test('may lack a scheme', () => {
    expect(proxyOf('proxy.test:3128')).toEqual({
      via: { proxy: 'http://proxy.test:3128', variable: 'HTTPS_PROXY' },
      hostname: 'proxy.test',
      port: 3128,
      isSecure: false,
    })
  })

  test('may be encrypted, and an IPv6 address', () => {
    expect(proxyOf('https://[::1]/')).toEqual({
      via: { proxy: 'https://[::1]', variable: 'HTTPS_PROXY' },
      hostname: '::1',
      port: 443,
      isSecure: true,
    })
  })

  test('may hold a name and password, which are sent and never shown', () => {
    const proxy = proxyOf('http://ada:s%C3%A9cret%3A@proxy.test:3128')!
    expect(proxy.via.proxy).toBe('http://proxy.test:3128')
    expect(proxy.authorization).toBe(`Basic ${Buffer.from('ada:sécret:').toString('base64')}`)
    expect(proxyOf('http://100%:x@proxy.test')!.authorization).toBe(
      `Basic ${Buffer.from('100%:x').toString('base64')}`,
    )
  })

  test.each([
    [
      'socks5://ada:secret@s.test:1080',
      'unusable socks5://s.test:1080 (ALL_PROXY): only http and https proxies are supported, and this one is `socks5`',
    ],
    ['http://', 'unusable  (ALL_PROXY): it is not the address of a proxy'],
    ['ada:secret@:x', 'unusable  (ALL_PROXY): it is not the address of a proxy'],
  ])('may be no proxy that can be used: %s', (value, way) => {
    expect(wayTo('https://a.test', { ALL_PROXY: value })).toBe(way)
    expect(wayTo('https://a.test', { ALL_PROXY: value, NO_PROXY: 'a.test' })).toBe('direct')
  })
})
