import { expect, test } from 'vitest'
import { isPublicAddress } from '../../../../../src/platform/http/guarded-fetch/public-address.ts'

const refused: readonly (readonly [string, string])[] = [
  ['loopback', '127.0.0.1'],
  ['loopback, not the first address', '127.8.8.8'],
  ['loopback of IPv6', '::1'],
  ['unspecified', '0.0.0.0'],
  ['unspecified of IPv6', '::'],
  ['private, 10/8', '10.1.2.3'],
  ['private, 172.16/12', '172.31.255.255'],
  ['private, 192.168/16', '192.168.0.1'],
  ['shared by carriers', '100.64.0.1'],
  ['link-local, the metadata address of clouds', '169.254.169.254'],
  ['the metadata address of AWS over IPv6', 'fd00:ec2::254'],
  ['link-local of IPv6', 'fe80::1'],
  ['unique local', 'fc00::1'],
  ['site-local, deprecated', 'fec0::1'],
  ['loopback mapped into IPv6', '::ffff:127.0.0.1'],
  ['private, mapped into IPv6, in hexadecimal', '::ffff:a00:1'],
  ['public, mapped into IPv6', '::ffff:8.8.8.8'],
  ['IPv4-compatible', '::7f00:1'],
  ['private behind NAT64', '64:ff9b::a00:1'],
  ['public behind NAT64', '64:ff9b::808:808'],
  ['local NAT64', '64:ff9b:1::a00:1'],
  ['private behind 6to4', '2002:a00:1::1'],
  ['Teredo', '2001::1'],
  ['multicast', '224.0.0.1'],
  ['multicast of IPv6', 'ff02::1'],
  ['broadcast', '255.255.255.255'],
  ['reserved for the future', '240.0.0.1'],
  ['documentation', '192.0.2.1'],
  ['documentation of IPv6', '2001:db8::1'],
  ['benchmarks', '198.18.0.1'],
  ['protocol assignments', '192.0.0.8'],
  ['discard only', '100::1'],
  ['the address of Azure about its own machines', '168.63.129.16'],
  ['the metadata address of Alibaba Cloud', '100.100.100.200'],
  ['the metadata address of Oracle Cloud', '192.0.0.192'],
  ['the metadata address of Google over IPv6', 'fd20:ce::254'],
  ['this network', '0.1.2.3'],
  ['a 6to4 relay', '192.88.99.1'],
  ['documentation of IPv6, the second range', '3fff::1'],
  ['a cryptographic hash identifier', '2001:20::1'],
  ['benchmarks of IPv6', '2001:2::1'],
  ['segment routing', '5f00::1'],
  ['IPv4-translated', '::ffff:0:127.0.0.1'],
  ['with a zone', 'fe80::1%eth0'],
  ['no address', 'example.com'],
  ['empty', ''],
]

test.each(refused)('refuses an address that is %s: %s', (_, address) => {
  expect(isPublicAddress(address, false)).toBe(false)
})

test.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111', '2a00:1450:4001:82a::200e'])(
  'admits the public address %s',
  (address) => {
    expect(isPublicAddress(address, false)).toBe(true)
  },
)

test.each(['127.0.0.1', '::1'])('admits %s when loopback is allowed', (address) => {
  expect(isPublicAddress(address, true)).toBe(true)
})

test.each(['::ffff:127.0.0.1', '10.0.0.1', '169.254.169.254', '0.0.0.0'])(
  'refuses %s also when loopback is allowed',
  (address) => {
    expect(isPublicAddress(address, true)).toBe(false)
  },
)
