/**
 * ip-address: only what is certainly public is called so.
 */
import { expect, test } from 'vitest'
import { isIpAddress, networkOf } from '../../src/base/ip-address.ts'

test.each([
  ['93.184.216.34', 'public'],
  ['8.8.8.8', 'public'],
  ['2606:2800:220:1:248:1893:25c8:1946', 'public'],
  ['127.0.0.1', 'loopback'],
  ['127.9.9.9', 'loopback'],
  ['::1', 'loopback'],
  ['[::1]', 'loopback'],
  ['::ffff:127.0.0.1', 'loopback'],
  ['::ffff:7f00:1', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['::ffff:169.254.169.254', 'link-local'],
  ['64:ff9b::169.254.169.254', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['0.0.0.0', 'private'],
  ['10.1.2.3', 'private'],
  ['100.64.0.1', 'private'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.168.1.1', 'private'],
  ['198.18.0.1', 'private'],
  ['224.0.0.1', 'private'],
  ['255.255.255.255', 'private'],
  ['::', 'private'],
  ['fd00::1', 'private'],
  ['ff02::1', 'private'],
  ['2001:db8::1', 'private'],
  ['2002:0a00:0001::', 'private'],
  ['::ffff:10.0.0.1', 'private'],
  // No address at all.
  ['example.com', 'private'],
  ['1.2.3', 'private'],
  ['1:2', 'private'],
  ['1::2::3', 'private'],
  ['300.1.1.1', 'private'],
] as const)('%s is %s', (address, network) => {
  expect(networkOf(address)).toBe(network)
})

test('172.15.0.1 and 172.32.0.1 are outside of the private range', () => {
  expect([networkOf('172.15.255.255'), networkOf('172.32.0.1')]).toEqual(['public', 'public'])
})

test('names are no addresses', () => {
  expect(['127.0.0.1', '::1', 'localhost', '1.2.3', 'a:b'].map(isIpAddress)).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
})
