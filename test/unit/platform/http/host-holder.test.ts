import { expect, it } from 'vitest'
import { holderOf } from '../../../../src/platform/http/host-holder.ts'

it.each([
  ['shop.example.com', 'example.com', 'example.com'],
  ['a.shop.github.io', 'shop.github.io', 'github.io'],
  // No host should have these names; a server of names may have them all the same.
  ['-1.example.com', 'example.com', 'example.com'],
  ['1-.example.com', 'example.com', 'example.com'],
  ['a*b.example.com', 'example.com', 'example.com'],
  [`${'x'.repeat(70)}.example.com`, 'example.com', 'example.com'],
  ['localhost', 'localhost', 'localhost'],
  ['192.0.2.7', '192.0.2.7', 'addresses'],
])('%s is of %s, registered as %s', (host, owner, domain) => {
  expect(holderOf(host)).toMatchObject({ owner: expect.stringContaining(owner), domain })
})
