import { describe, expect, test } from 'vitest'
import { clientAddress } from '../../../../../src/platform/http/rate-limit/client-address.ts'

const from = (remoteAddress: string | undefined, forwarded?: string) => ({
  socket: { remoteAddress },
  headers: forwarded === undefined ? {} : { 'x-forwarded-for': forwarded },
})

describe('the address a request is counted under', () => {
  test.each([
    { peer: '192.0.2.7', address: '192.0.2.7' },
    { peer: '::ffff:192.0.2.7', address: '192.0.2.7' },
    { peer: '::ffff:c000:207', address: '192.0.2.7' },
    { peer: '2001:db8:1:2:3:4:5:6', address: '2001:db8:1:2::/64' },
    { peer: '2001:db8:1:2:ffff::', address: '2001:db8:1:2::/64' },
    { peer: '2001:0db8:0001:0002::1', address: '2001:db8:1:2::/64' },
    { peer: '2001:db8::9', address: '2001:db8:0:0::/64' },
    { peer: '64:ff9b::192.0.2.7', address: '64:ff9b:0:0::/64' },
    { peer: '1::3:4:5:192.0.2.7', address: '1:0:0:3::/64' },
    { peer: 'fe80::1%eth0', address: 'fe80:0:0:0::/64' },
    { peer: '::1', address: '0:0:0:0::/64' },
    { peer: undefined, address: 'unknown' },
  ])('of $peer is $address', ({ peer, address }) => {
    expect(clientAddress(from(peer), 0)).toBe(address)
  })

  test.each<{ when: string; hops: number; forwarded: string | undefined; address: string }>([
    {
      when: 'not from the header when no proxy is trusted',
      hops: 0,
      forwarded: '192.0.2.1',
      address: '10.0.0.1',
    },
    {
      when: 'what the one proxy saw, not what the client made up',
      hops: 1,
      forwarded: '203.0.113.9, 192.0.2.1',
      address: '192.0.2.1',
    },
    {
      when: 'what the first of two proxies saw',
      hops: 2,
      forwarded: '203.0.113.9, 192.0.2.1,10.0.0.2',
      address: '192.0.2.1',
    },
    {
      when: 'the first entry when a proxy was passed by',
      hops: 3,
      forwarded: '192.0.2.1, 10.0.0.2',
      address: '192.0.2.1',
    },
    { when: 'the peer without a header', hops: 1, forwarded: undefined, address: '10.0.0.1' },
    { when: 'the peer with an empty header', hops: 1, forwarded: '', address: '10.0.0.1' },
    { when: 'the peer where no address is', hops: 1, forwarded: 'unknown', address: '10.0.0.1' },
    {
      when: 'an address with a port',
      hops: 1,
      forwarded: '192.0.2.1:4711',
      address: '192.0.2.1',
    },
    {
      when: 'an IPv6 address in brackets with a port',
      hops: 1,
      forwarded: '[2001:db8:1:2::3]:4711',
      address: '2001:db8:1:2::/64',
    },
    {
      when: 'an IPv6 address',
      hops: 1,
      forwarded: '2001:db8:1:2::3',
      address: '2001:db8:1:2::/64',
    },
  ])('is $when', ({ hops, forwarded, address }) => {
    expect(clientAddress(from('10.0.0.1', forwarded), hops)).toBe(address)
  })
})
