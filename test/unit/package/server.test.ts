import { SETTLEMENT_OVERRIDES_HEADER, x402ResourceServer } from '@x402/core/server'
import {
  x402ResourceServer as NewestServer,
  SETTLEMENT_OVERRIDES_HEADER as newestHeader,
} from '@x402/core-next/server'
import { expect, test } from 'vitest'
import {
  chargeUpTo,
  registerUptoStellarScheme,
  UptoStellarScheme,
} from '../../../src/package/upto-server.ts'
import { extra, offer, usdc } from '../buying/upto/offer.ts'

const scheme = new UptoStellarScheme()
const kind = (changes: Record<string, unknown> = {}) => ({
  x402Version: 2,
  scheme: 'upto',
  network: 'stellar:testnet' as const,
  extra: { ...extra, ...changes },
})

test('prices mean what they mean in the stock scheme exact', async () => {
  const price = { asset: usdc, amount: '5' }
  expect(await scheme.parsePrice('$0.05', 'stellar:testnet')).toMatchObject({
    asset: usdc,
    amount: '500000',
  })
  expect(await scheme.parsePrice(price, 'stellar:testnet')).toMatchObject(price)
})

test('a price of its own can be registered', async () => {
  const own = new UptoStellarScheme().registerMoneyParser(async (amount) => ({
    asset: usdc,
    amount: String(amount),
  }))
  expect(await own.parsePrice('7', 'stellar:testnet')).toEqual({ asset: usdc, amount: '7' })
})

test("requirements have the facilitator's extra whole, over what the route says", async () => {
  const mine = offer({ extra: { note: 'mine', uptoContract: 'mine' } })
  const enhanced = await scheme.enhancePaymentRequirements(mine, kind({ more: 1 }))
  expect(enhanced).toEqual({ ...mine, extra: { note: 'mine', ...extra, more: 1 } })
})

test('a facilitator of another profile is refused, by the newest server as it starts', async () => {
  const other = kind({ profile: 'stateless' })
  const message = /in the profile "stateless", and this scheme serves authority-v1/
  await expect(scheme.enhancePaymentRequirements(offer(), other)).rejects.toThrow(message)
  expect(scheme.validateFacilitatorSupport('stellar:testnet', other)).toMatch(message)
  expect(scheme.validateFacilitatorSupport('stellar:testnet', kind())).toBeUndefined()
})

/** A response to a request that pays for an offer. */
function responseTo(accepted: object | undefined) {
  const headers = new Map<string, unknown>()
  const header = Buffer.from(JSON.stringify({ x402Version: 2, accepted })).toString('base64')
  const req = { headers: accepted === undefined ? {} : { 'payment-signature': header } }
  const response = { req, setHeader: (name: string, value: unknown) => headers.set(name, value) }
  return { response: response as never, headers }
}

test.each([
  { used: 0n, charged: '0' },
  { used: 999_999n, charged: '999999' },
  { used: 1_000_000n, charged: '1000000' },
  { used: 1_000_001n, charged: '1000000' },
])('charges $charged of a ceiling of 1000000 where $used were used', ({ used, charged }) => {
  const { response, headers } = responseTo(offer())
  expect(chargeUpTo(response, used)).toBe(BigInt(charged))
  expect(headers.get(SETTLEMENT_OVERRIDES_HEADER)).toBe(`{"amount":"${charged}"}`)
  expect(newestHeader).toBe(SETTLEMENT_OVERRIDES_HEADER)
})

test('leaves the price of another scheme as it is', () => {
  const { response, headers } = responseTo(offer({ scheme: 'exact' }))
  expect(chargeUpTo(response, 5n)).toBeUndefined()
  expect(headers.size).toBe(0)
})

test('charges no negative amount, and nothing for a request without a payment', () => {
  expect(() => chargeUpTo(responseTo(offer()).response, -1n)).toThrow(RangeError)
  expect(() => chargeUpTo(responseTo(undefined).response, 1n)).toThrow('carries no payment')
})

test('registers in the stock servers of both lines, which then tell the amount', async () => {
  type Hook = Parameters<Parameters<typeof registerUptoStellarScheme>[0]['onAfterSettle']>[0]
  const hooks: Hook[] = []
  const server = { register: () => undefined, onAfterSettle: (hook: Hook) => hooks.push(hook) }
  expect(registerUptoStellarScheme(server, 'stellar:testnet')).toBe(server)
  const [hook] = hooks
  const after = async (scheme: string, result: { success: boolean; amount?: string }) => {
    await hook?.({ requirements: { scheme, amount: '7' }, result })
    return result.amount
  }
  expect(await after('upto', { success: true })).toBe('7')
  expect(await after('upto', { success: true, amount: '5' })).toBe('5')
  expect(await after('upto', { success: false })).toBeUndefined()
  expect(await after('exact', { success: true })).toBeUndefined()

  registerUptoStellarScheme(new x402ResourceServer(), 'stellar:testnet')
  registerUptoStellarScheme(new NewestServer(), 'stellar:testnet')
})
