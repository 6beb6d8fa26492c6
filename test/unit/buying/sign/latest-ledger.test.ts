import { Keypair } from '@stellar/stellar-sdk'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readOffer } from '../../../../src/buying/offer/offer.ts'
import { latestLedger } from '../../../../src/buying/sign/latest-ledger.ts'
import { type Wallet, walletOf } from '../../../../src/buying/sign/sign-payment.ts'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { FakeClock } from '../../../support/fake-clock.ts'

const network = 'stellar:testnet'
const offer = readOffer(
  {
    ...{ scheme: 'exact', network, asset: usdcContracts[network], amount: '1' },
    ...{ payTo: Keypair.random().publicKey(), maxTimeoutSeconds: 60, extra: {} },
  },
  network,
)

let wallet: Wallet
let clock: FakeClock
let tip = { sequence: 1_000, closeTime: 0 }
beforeEach(() => {
  wallet = walletOf(Keypair.random().secret(), network, 'https://rpc.example/key')
  clock = new FakeClock()
  vi.spyOn(globalThis, 'fetch').mockImplementation(async (_, init) => {
    const asked: unknown = JSON.parse(String(init?.body))
    const [{ id }] = [asked].flat() as { id: number }[] as [{ id: number }]
    const answer = { jsonrpc: '2.0', id, result: { ...tip, protocolVersion: 23 } }
    return Response.json(Array.isArray(asked) ? [answer] : answer)
  })
})
afterEach(() => vi.restoreAllMocks())

const ask = (sequence: number, secondsAhead = 0) => {
  if (typeof offer === 'string') throw new Error(offer)
  tip = { sequence, closeTime: Math.floor(clock.now() / 1_000) + secondsAhead }
  return latestLedger(offer, wallet, { clock })
}
const refusal = { code: 'rpc_implausible', isSent: false }

describe('the latest ledger of a Stellar RPC', () => {
  test.each([0, -599, 600])('is taken when it closed %i s from now', async (seconds) => {
    await expect(ask(1_000, seconds)).resolves.toBe(1_000)
  })

  test.each([
    [-720, /latest ledger is 1000, which closed 12 minutes ago by the clock/],
    [720, /https:\/\/rpc\.example says .+ closed 12 minutes ahead by the clock/],
  ])('is refused when it closed %i s from now', async (seconds, message) => {
    const refused = ask(1_000, seconds)
    await expect(refused).rejects.toMatchObject({
      ...refusal,
      message: expect.stringMatching(message),
    })
    await expect(refused).rejects.not.toThrow('/key')
  })

  test('is refused when it goes back, by more than replicas differ', async () => {
    await ask(1_000)
    await expect(ask(980)).resolves.toBe(980)
    await expect(ask(979)).rejects.toMatchObject({
      ...refusal,
      message: expect.stringMatching(/is 979, and 0 s before it was 1000$/),
    })
    await expect(ask(1_001)).resolves.toBe(1_001)
  })

  test('is refused when it goes ahead by more ledgers than can have closed', async () => {
    await ask(1_000)
    await clock.advance(10_000)
    await expect(ask(1_731)).rejects.toMatchObject(refusal)
    await expect(ask(1_730)).resolves.toBe(1_730)
  })
})
