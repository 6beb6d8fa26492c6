import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  listLiveReplicas,
  listTermsReports,
} from '../../../../src/payments/store/replica-heartbeats.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'
import { defaultAssets } from '../../../../src/settings/sections/assets.ts'
import { openPaymentStack } from '../../../support/payment-stack.ts'
import { openWallet, payment } from '../../../support/payments.ts'
import type { Stack, StackOptions } from '../../../support/stack.ts'
import { testnet, untilPolled, warningsOf } from './health-world.ts'

const timings = { monitorMs: 3_600_000, heartbeatMs: 50 }
const stackWith = (network: StackOptions['network']) =>
  openPaymentStack({ upto: true, timings, ...(network && { network }) })

/** What the operator reads of the only pod. */
async function reported({ store, sponsor }: Stack) {
  const [replica] = await listLiveReplicas(store.db, { network: testnet, sponsor: sponsor.address })
  return listTermsReports(store.db, [replica?.host ?? ''])
}

const untilReported = (stack: Stack, state: string) =>
  vi.waitFor(async () => expect(await reported(stack)).toMatchObject([{ state }]), {
    timeout: 120_000,
    interval: 50,
  })

describe('N2: a service under whose settings nothing can be paid', () => {
  test('warns in /health of a maximum fee below what was paid, and tells the operator', async () => {
    await using stack = await stackWith({ maxTxFeeStroops: asStroops(30_000n) })
    await untilPolled(stack)
    const { state, codes, messages } = await warningsOf(stack)
    expect({ state, codes }).toEqual({
      state: 'degraded',
      codes: ['terms_unpayable', 'terms_fee_low'],
    })
    expect(messages).toEqual([
      expect.stringMatching(
        /^each payment is refused that costs more than the 30000 stroops of MAX_TX_FEE_STROOPS \(fees\.maxTxFeeStroops\), and the least is 4\d{4} by upto in USDC; raise MAX_TX_FEE_STROOPS .* to 10\d000$/,
      ),
      expect.stringMatching(
        /^most payments will be refused: MAX_TX_FEE_STROOPS .* is 30000 stroops, and a payment between two accounts costs about 3[23]\d{3} by exact in USDC; raise .* to 6\d000$/,
      ),
    ])
    await untilReported(stack, 'Invalid')
    expect((await reported(stack))[0]?.message).toMatch(/^each payment is refused .*: raise MAX_TX/)
  })

  test('warns of decimals, amounts and timeouts', async () => {
    const [usdc] = defaultAssets(testnet)
    if (!usdc) throw new Error('USDC is accepted')
    await using stack = await stackWith({
      assets: [{ ...usdc, decimals: 6, max: 0n }],
      timeoutMinSeconds: 1,
      timeoutMaxSeconds: 1,
      expirationMarginLedgers: 2,
    })
    await untilPolled(stack)
    const { codes, messages } = await warningsOf(stack)
    expect(codes).toEqual(['terms_unpayable', 'terms_unpayable', 'asset_decimals_differ'])
    expect(messages).toEqual([
      expect.stringMatching(/^a payment may be valid for 1 s at most/),
      expect.stringMatching(/^TESTNET_ASSETS \(assets\[\]\.maxAmount\) of USDC is 0/),
      expect.stringMatching(/^USDC \(C.*\) has 7 decimals on the ledger/),
    ])
    // Each payment expires first, so that none can be made.
    await untilReported(stack, 'Unpayable')
  })
})

describe('a service with the default settings', () => {
  let stack: Stack
  beforeAll(async () => {
    stack = await stackWith(undefined)
  })
  afterAll(() => stack[Symbol.asyncDispose]())

  test('has tried them, warns of nothing, and tells the operator', async () => {
    await untilPolled(stack)
    expect((await warningsOf(stack)).codes).toEqual([])
    await untilReported(stack, 'Tried')
  })

  test('knows from payments what one costs: N2, a lower maximum fee is then too low for most', async () => {
    const payer = await openWallet(stack.localnet)
    const { address: payTo } = await openWallet(stack.localnet)
    const body = await payment(stack.localnet, { payer, payTo })
    expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
    const { fee_committed: committed } = await stack.store.db
      .selectFrom('settlements')
      .select('fee_committed')
      .executeTakeFirstOrThrow()
    await using other = await stack.replica({ maxTxFeeStroops: asStroops(committed - 1n) } as never)
    await untilPolled(other)
    const { messages } = await warningsOf(other as Stack)
    expect(messages).toContainEqual(
      expect.stringContaining(`costs about ${committed} by exact in USDC`),
    )
  })
})
