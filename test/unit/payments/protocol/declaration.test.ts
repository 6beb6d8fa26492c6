import { describe, expect, it } from 'vitest'
import {
  declarationOf,
  declaresResource,
  parseDeclaration,
  resourceUrlOf,
} from '../../../../src/payments/protocol/declaration.ts'
import type { PaymentRequest } from '../../../../src/payments/protocol/protocol.ts'
import { request } from './payment-builder.ts'

const url = 'https://seller.example/weather'
const bazaar = { info: { input: { type: 'http', method: 'GET' } }, schema: {} }

const carrying = async (members: object): Promise<PaymentRequest> => {
  const given = await request()
  return { ...given, paymentPayload: { ...given.paymentPayload, ...members } }
}

describe('declarationOf', () => {
  it('keeps the resource, the bazaar extension, the keys of all extensions and the price', async () => {
    const resource = { url, description: 'Weather' }
    const proof = { info: { id: 'identifier-of-a-payment' } }
    const payment = await carrying({
      resource,
      extensions: { 'payment-identifier': proof, bazaar },
    })
    const text = declarationOf(payment) ?? ''
    expect(parseDeclaration(text)).toEqual({
      resource,
      bazaar,
      extensionKeys: ['payment-identifier', 'bazaar'],
      accepts: [payment.paymentRequirements],
    })
    expect(text).not.toContain('identifier-of-a-payment')
  })

  it('has the ceiling as price of a settlement that takes less of it, or nothing', async () => {
    const { paymentPayload, paymentRequirements } = await carrying({ extensions: { bazaar } })
    const extra = { areFeesSponsored: true, profile: 'authority-v1' }
    const ceiling = { ...paymentRequirements, scheme: 'upto', amount: '50000', extra }
    for (const amount of ['12000', '0', '50000']) {
      const text = declarationOf({
        x402Version: 2,
        paymentPayload: { ...paymentPayload, accepted: ceiling },
        paymentRequirements: { ...ceiling, amount },
      })
      expect(parseDeclaration(text ?? '').accepts).toEqual([ceiling])
    }
  })

  it.each([undefined, 'bazaar', ['bazaar'], 7, {}, { other: bazaar }])(
    'is absent with the extensions %j',
    async (extensions) => {
      const payment = await carrying({ extensions })
      expect(declaresResource(payment)).toBe(false)
      expect(declarationOf(payment)).toBeUndefined()
    },
  )

  it.each([null, 'x', 7, [], {}])('keeps %j as the value of the extension', async (value) => {
    const payment = await carrying({ extensions: { bazaar: value } })
    expect(declaresResource(payment)).toBe(true)
    expect(parseDeclaration(declarationOf(payment) ?? '')).toMatchObject({ bazaar: value })
  })

  it('keeps 64 KiB and no byte more', async () => {
    const withText = (text: string) =>
      carrying({ resource: { url }, extensions: { bazaar: { ...bazaar, text } } })
    const empty = Buffer.byteLength(declarationOf(await withText('')) ?? '')
    const longest = 'ü'.repeat((65_536 - empty) / 2) + 'a'.repeat((65_536 - empty) % 2)
    const fits = declarationOf(await withText(longest)) ?? ''
    expect(Buffer.byteLength(fits)).toBe(65_536)
    expect(parseDeclaration(fits).isTooLarge).toBeUndefined()
    expect(parseDeclaration(declarationOf(await withText(`${longest}a`)) ?? '')).toEqual({
      resource: { url },
      bazaar: null,
      extensionKeys: ['bazaar'],
      accepts: [],
      isTooLarge: true,
    })
  })

  it('leaves out a URL that is too large itself', async () => {
    const payment = await carrying({
      resource: { url: `${url}/${'a'.repeat(70_000)}` },
      extensions: { bazaar },
    })
    const text = declarationOf(payment) ?? ''
    expect(parseDeclaration(text)).toMatchObject({ resource: null, isTooLarge: true })
    expect(text.length).toBeLessThan(200)
  })

  it('escapes what no Postgres text can hold', async () => {
    const payment = await carrying({ resource: { url: '\0\ud800' }, extensions: { bazaar } })
    const text = declarationOf(payment) ?? ''
    expect(text).toContain('\\u0000\\ud800')
    expect(text.isWellFormed()).toBe(true)
    expect(resourceUrlOf(payment)).toBe('\0\ud800')
  })
})

describe('resourceUrlOf', () => {
  it.each([undefined, 7, 'x', [], {}, { url: 7 }, { url: null }])(
    'is absent with the resource %j',
    async (resource) => {
      expect(resourceUrlOf(await carrying({ resource }))).toBeUndefined()
    },
  )
})
