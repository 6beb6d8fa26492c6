import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { provisionChannels } from '../../../../src/payments/channels/create/provision.ts'
import { keysOfSeed } from '../../../../src/payments/channels/sponsor-keys.ts'
import { listChannels } from '../../../../src/payments/store/channels/channel.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../../../src/platform/core/time/clock.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { secretOfSeed, signerFromSeed } from '../../../../src/stellar/accounts/signer.ts'
import { rpcClient } from '../../../../src/stellar/rpc/rpc-client.ts'
import { openPaymentStack } from '../../../support/payment-stack.ts'
import { openWallet, payment, type Wallet } from '../../../support/payments.ts'
import type { Stack } from '../../../support/stack.ts'

const network = 'stellar:testnet'
const CHANNELS = 8
const GROWTHS = 5
/** Requests in progress at any time: more than there will be channels. */
const PAYERS = 3 * CHANNELS
/** A busy channel is free after two or three ledgers; the one after includes the new channels. */
const FEW_LEDGERS = 8

const BUSY = 'settle_exact_stellar_channel_unavailable'

const seed = new Uint8Array(32).fill(77)
const sponsorSecret = secretOfSeed(seed)
const sponsor = signerFromSeed(seed).address

let stack: Stack
let payers: readonly Wallet[]
let seller: Wallet
beforeAll(async () => {
  stack = await openPaymentStack({
    closeEveryMs: 2_000,
    network: async (localnet) => {
      await localnet.pay({ address: sponsor, asset: 'XLM', amount: 10_000_000_000n })
      return { sponsorSecret, channelCount: CHANNELS }
    },
  })
  seller = await openWallet(stack.localnet, 1n)
  payers = await Promise.all(Array.from({ length: PAYERS }, () => openWallet(stack.localnet)))
})
afterAll(() => stack[Symbol.asyncDispose]())

const grow = (count: number) =>
  provisionChannels({
    keepSpendable: asStroops(0n),
    network,
    keys: keysOfSeed(sponsorSecret),
    count,
    inclusionFee: asStroops(100n),
    rpc: rpcClient({ url: stack.localnet.httpUrl, allowHttp: true, timeoutMs: 60_000 }),
    store: stack.store,
    clock: systemClock,
    log: createLogger({ level: 'silent' }),
    signal: AbortSignal.timeout(200_000),
  })

interface Outcome {
  readonly success: boolean
  readonly errorReason: string
}

/** Each payer pays again as soon as it has an answer. */
function saturate() {
  const stop = new AbortController()
  const outcomes: Outcome[] = []
  const paying = payers.map(async (payer) => {
    while (!stop.signal.aborted) {
      const body = await payment(stack.localnet, { payer, payTo: seller.address, amount: 1n })
      outcomes.push((await stack.post('/settle', body)).body)
    }
  })
  return {
    outcomes,
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await Promise.all(paying)
    },
  }
}

describe('a pool whose channels are all in use', () => {
  it('grows five times in a row, each time within a few ledgers', {
    timeout: 180_000,
  }, async () => {
    await using load = saturate()
    await expect.poll(() => load.outcomes.length, { timeout: 240_000 }).toBeGreaterThan(PAYERS)
    const ledgers: number[] = []
    for (let count = CHANNELS + 1; count <= CHANNELS + GROWTHS; count++) {
      const before = stack.localnet.network.latest.sequence
      await grow(count)
      ledgers.push(stack.localnet.network.latest.sequence - before)
    }
    await load[Symbol.asyncDispose]()
    for (const each of ledgers) expect(each).toBeLessThanOrEqual(FEW_LEDGERS)

    // With all channels in use some requests are refused, which payers may repeat. No payment is lost.
    const reasons = load.outcomes.flatMap(({ success, errorReason }) =>
      success ? [] : errorReason,
    )
    expect(reasons.filter((reason) => reason !== BUSY)).toEqual([])
    const channels = await listChannels(stack.store.db, network, sponsor)
    expect(channels.map(({ state, isLeased }) => ({ state, isLeased }))).toEqual(
      Array.from({ length: CHANNELS + GROWTHS }, () => ({ state: 'active', isLeased: false })),
    )
  })
})
