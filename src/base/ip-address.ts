/**
 * ip-address: which network an address belongs to.
 *
 * out    `public` only for addresses that the whole internet can reach; an unknown form is not public
 */
export type Network = 'public' | 'loopback' | 'link-local' | 'private'

type Range = readonly [network: string, bits: number, kind: Network]

const IPV4: readonly Range[] = [
  ['127.0.0.0', 8, 'loopback'],
  // The metadata service of clouds, which holds the keys of the machine.
  ['169.254.0.0', 16, 'link-local'],
  ['0.0.0.0', 8, 'private'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
  // Multicast, reserved, broadcast.
  ['224.0.0.0', 3, 'private'],
]

export function networkOf(address: string): Network {
  const four = parseIPv4(address)
  if (four !== undefined) return networkOfIPv4(four)
  const groups = parseIPv6(address)
  return groups === undefined ? 'private' : networkOfIPv6(groups)
}

export function isIpAddress(host: string): boolean {
  return parseIPv4(host) !== undefined || parseIPv6(host) !== undefined
}

function networkOfIPv4(value: number): Network {
  const range = IPV4.find(([network, bits]) => {
    const size = 2 ** (32 - bits)
    return Math.floor(value / size) === Math.floor(parseIPv4(network)! / size)
  })
  return range?.[2] ?? 'public'
}

function networkOfIPv6(groups: readonly number[]): Network {
  const [first, second] = groups as readonly [number, number]
  const embedded = findEmbedded(groups)
  if (embedded !== undefined) return networkOfIPv4(embedded)
  if (groups.slice(0, 7).every((group) => group === 0)) return groups[7] === 1 ? 'loopback' : 'private'
  if ((first & 0xffc0) === 0xfe80) return 'link-local'
  // Only 2000::/3 is assigned. Of it, 2001:db8::/32 is for documentation.
  const isGivenOut = (first & 0xe000) === 0x2000 && !(first === 0x2001 && second === 0x0db8)
  return isGivenOut ? 'public' : 'private'
}

/** The IPv4 address inside an IPv6 one: mapped, translated (NAT64), or 6to4. */
function findEmbedded(groups: readonly number[]): number | undefined {
  const last = groups[6]! * 0x10000 + groups[7]!
  const isZero = (from: number, to: number): boolean => groups.slice(from, to).every((group) => group === 0)
  if (isZero(0, 5) && groups[5] === 0xffff) return last
  if (groups[0] === 0x64 && groups[1] === 0xff9b && isZero(2, 6)) return last
  return groups[0] === 0x2002 ? groups[1]! * 0x10000 + groups[2]! : undefined
}

function parseIPv4(text: string): number | undefined {
  if (!/^\d{1,3}(?:\.\d{1,3}){3}$/.test(text)) return undefined
  const parts = text.split('.').map(Number)
  return parts.some((part) => part > 255) ? undefined : parts.reduce((sum, part) => sum * 256 + part, 0)
}

/** Its eight groups. */
function parseIPv6(text: string): readonly number[] | undefined {
  const [address] = text.replace(/^\[(.*)\]$/, '$1').split('%')
  if (!address!.includes(':')) return undefined
  const halves = withoutIPv4(address!).split('::')
  if (halves.length > 2) return undefined
  const [left, right] = halves.map(toGroups)
  const missing = 8 - left!.length - (right?.length ?? 0)
  if (right === undefined ? missing !== 0 : missing < 1) return undefined
  const groups = right === undefined ? left! : [...left!, ...Array<number>(missing).fill(0), ...right]
  return groups.every((group) => group >= 0 && group <= 0xffff) ? groups : undefined
}

/** `::ffff:10.0.0.1`, with its last part turned into groups. */
function withoutIPv4(address: string): string {
  const [, tail] = /:(\d+\.\d+\.\d+\.\d+)$/.exec(address) ?? []
  const value = tail === undefined ? undefined : parseIPv4(tail)
  if (value === undefined) return address
  const groups = [Math.floor(value / 0x10000), value % 0x10000].map((group) => group.toString(16))
  return address.slice(0, -tail!.length) + groups.join(':')
}

function toGroups(half: string): readonly number[] {
  if (half === '') return []
  return half.split(':').map((group) => (/^[\da-f]{1,4}$/i.test(group) ? Number.parseInt(group, 16) : -1))
}
