import { createRequire } from 'node:module'
import type { rpc as Rpc } from '@stellar/stellar-sdk'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { makeTestPayment } from '../../../src/buying/pay/test-payment.ts'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'

/* The payment of `kubectl svc pay`, which signs as every payment does. */

/** The SDK of the stock client, which has a copy of its own. */
const requireHere = createRequire(import.meta.url)
const sdk = createRequire(requireHere.resolve('@x402/stellar'))('@stellar/stellar-sdk')
const server: Rpc.Server = sdk.rpc.Server.prototype

const network = 'stellar:testnet'
let world: BuyerWorld
beforeAll(async () => {
  world = await buyerWorld()
})
afterEach(() => vi.restoreAllMocks())
afterAll(async () => {
  await world?.[Symbol.asyncDispose]()
})

/** Makes the payment. @returns also the paths that the facilitator was asked for */
async function payTest(
  signal = new AbortController().signal,
  answers: Readonly<Record<string, object>> = {},
) {
  const { stack, buyer, seller } = world
  const asked: string[] = []
  const making = makeTestPayment({
    ...{ network, secret: buyer.secret, payTo: seller.address, rpcUrl: stack.localnet.rpcUrl },
    ...{ asset: usdcContracts[network], amount: 1_000n, clock: systemClock },
    ...{ signal, sentSignal: signal, beforeSettling: () => undefined },
    ask: async (path, _, body) => {
      asked.push(path)
      const instead = answers[path]
      if (instead) return { status: 200, body: JSON.stringify(instead) }
      const { status, body: answer } =
        body === undefined
          ? await stack.get(path)
          : await stack.post(path === '/verify' ? path : '/settle', JSON.parse(body))
      return { status, body: JSON.stringify(answer) }
    },
  })
  const made = await making.catch((error: unknown) => error)
  return { made, asked }
}

test('is verified and settled', async () => {
  const { made, asked } = await payTest()
  expect(made).toMatchObject({ isVerified: true, invalidReason: null, settle: { paid: true } })
  expect(asked).toEqual(['/supported', '/verify', '/settle'])
})

test('shows the words of the facilitator in one short line', async () => {
  const words = `wrong\u001b[2J\nReady\u202e ${'x'.repeat(10_000)}`
  const invalid = { isValid: false, invalidReason: words, invalidMessage: words }
  const { made } = await payTest(undefined, { '/verify': invalid })
  expect(Object(made).invalidReason).toMatch(/^wrong\[2J Ready x{400,}$/)
  const failed = { success: false, errorReason: words, transaction: words }
  const { made: other } = await payTest(undefined, {
    '/verify': { isValid: true },
    '/settle': failed,
  })
  const { reason, transaction } = Object(other).settle
  for (const text of [reason, transaction]) expect(text).toMatch(/^wrong\[2J Ready x{400,490}$/)
})

test('signs nothing that is valid for longer than any offer', async () => {
  const { sequence } = world.stack.localnet.network.latest
  const far = { id: 'a'.repeat(64), sequence: sequence + 1_000, protocolVersion: '23' }
  // The stock client asks for itself.
  vi.spyOn(server, 'getLatestLedger').mockResolvedValue(Object(far))
  const { made, asked } = await payTest()
  expect(made).toMatchObject({ code: 'not_payable', isSent: false })
  expect(asked).toEqual(['/supported'])
})

test('has an unknown outcome and a reference when it fails after it was signed', async () => {
  const real = server.simulateTransaction
  let calls = 0
  vi.spyOn(server, 'simulateTransaction').mockImplementation(function (this: Rpc.Server, ...asked) {
    calls += 1
    // The second simulation carries the signature.
    return calls > 1 ? Promise.reject(new Error('no answer')) : real.apply(this, asked)
  })
  const { made, asked } = await payTest()
  expect(made).toMatchObject({
    payer: world.buyer.address,
    trace: { reference: expect.stringMatching(/^testnet_/) },
    settle: { paid: null },
  })
  expect(asked).toEqual(['/supported'])
})
