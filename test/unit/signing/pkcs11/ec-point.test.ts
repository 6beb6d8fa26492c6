import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { publicKeyOfPoint } from '../../../../src/signing/pkcs11/ec-point.ts'

const key = new Uint8Array(randomBytes(32))
/** A raw key may begin with the bytes of the wrapping. */
const confusing = Uint8Array.of(0x04, 0x20, ...key.subarray(2))

test.each([
  { when: 'raw', point: key, expected: key },
  { when: 'in an OCTET STRING', point: Uint8Array.of(0x04, 0x20, ...key), expected: key },
  { when: 'raw, like the start of an OCTET STRING', point: confusing, expected: confusing },
  { when: 'in another type', point: Uint8Array.of(0x03, 0x20, ...key), expected: undefined },
  { when: 'followed by more', point: Uint8Array.of(0x04, 0x20, ...key, 0), expected: undefined },
  { when: 'cut off', point: Uint8Array.of(0x04, 0x20, ...key.subarray(1)), expected: undefined },
  { when: 'of edwards448', point: new Uint8Array(57), expected: undefined },
  { when: 'empty', point: new Uint8Array(0), expected: undefined },
])('publicKeyOfPoint reads a key that is $when', ({ point, expected }) => {
  expect(publicKeyOfPoint(point)).toEqual(expected)
})
