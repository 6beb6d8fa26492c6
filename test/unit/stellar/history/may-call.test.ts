import { describe, expect, test } from 'vitest'
import { mayCall } from '../../../../src/stellar/history/may-call.ts'

const mayPay = mayCall(['transfer', 'settle'])

/** An XDR symbol after some bytes and before others. */
function around(name: string, before: number): string {
  const symbol = Buffer.alloc(4 + Math.ceil(name.length / 4) * 4)
  symbol.writeUInt32BE(name.length)
  symbol.write(name, 4)
  return Buffer.concat([Buffer.alloc(before, 0xa5), symbol, Buffer.alloc(7, 0x5a)]).toString(
    'base64',
  )
}

describe('a name in an envelope', () => {
  test.each(['transfer', 'settle'])('%s is found wherever it stands', (name) => {
    for (let before = 0; before < 24; before++) {
      expect(mayPay({ envelopeXdr: around(name, before) })).toBe(true)
    }
  })

  test.each(['transfer_from', 'transfers', 'xtransfer', 'settled', 'swap'])(
    '%s is none',
    (name) => {
      for (let before = 0; before < 24; before += 4) {
        expect(mayPay({ envelopeXdr: around(name, before) })).toBe(false)
      }
    },
  )

  test('is found in JSON', () => {
    expect(mayPay({ envelopeJson: { function_name: 'transfer' } })).toBe(true)
    expect(mayPay({ envelopeJson: { function_name: 'transfer_from' } })).toBe(false)
    expect(mayPay({})).toBe(false)
  })
})
