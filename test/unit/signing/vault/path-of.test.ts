import { expect, test } from 'vitest'
import { pathOf } from '../../../../src/signing/vault/vault-api.ts'

test.each([
  { mount: 'transit', names: ['sign', 'sponsor'], path: 'transit/sign/sponsor' },
  { mount: '/team/transit/', names: ['keys', 'a'], path: 'team/transit/keys/a' },
  {
    mount: 'transit',
    names: ['sign', '../keys/x?y#z'],
    path: 'transit/sign/..%2Fkeys%2Fx%3Fy%23z',
  },
])('the path of $names in $mount is $path', ({ mount, names, path }) => {
  expect(pathOf(mount, ...names)).toBe(path)
})
