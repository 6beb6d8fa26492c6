import { FeeBumpTransaction, TransactionBuilder } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import { type Stack, type StackOptions, startStack, unit } from '../../support/stack.ts'
import { reach } from '../../support/stock/stock-client.ts'
import { stockRequest } from '../../support/stock/stock-request.ts'

/* The rows of the interface that limit /verify and /settle, each under its own configuration. */

async function stackWith(options: StackOptions): Promise<Stack> {
  const stack = await startStack({ closeEveryMs: 'on-send', tls: true, ...options })
  reach(stack.localnet)
  return stack
}

describe('Fee ceiling', () => {
  it('"payments whose settlement would cost more than MAX_TX_FEE_STROOPS are refused at verification"', async () => {
    await using stack = await stackWith({ network: { maxTxFeeStroops: asStroops(10_000n) } })
    const { body } = await stockRequest(stack.localnet)
    expect((await stack.post('/verify', body)).body).toMatchObject({
      isValid: false,
      invalidReason: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
    })
    expect((await stack.post('/settle', body)).body).toMatchObject({
      success: false,
      errorReason: 'invalid_exact_stellar_payload_fee_exceeds_maximum',
      transaction: '',
    })
  })
})

describe('Inclusion-fee bid', () => {
  it('"tracks recent network fees between a floor and a cap, never beyond the cap": a quiet network gets the floor', async () => {
    const floorStroops = asStroops(700n)
    const inclusionFee = { floorStroops, capStroops: asStroops(900n), percentile: 'p90' } as const
    await using stack = await stackWith({ network: { inclusionFee } })
    const { body } = await stockRequest(stack.localnet)
    const { transaction } = (await stack.post('/settle', body)).body
    const sent = stack.localnet.network.transaction(transaction)
    const passphrase = stack.localnet.network.passphrase
    const envelope = TransactionBuilder.fromXDR(
      Buffer.from(sent?.envelopeXdr ?? []).toString('base64'),
      passphrase,
    )
    if (!(envelope instanceof FeeBumpTransaction)) throw new Error('not a fee bump')
    // CAP-15: the outer bid covers one operation more than the inner transaction has.
    const resourceFee = BigInt(envelope.innerTransaction.fee) - floorStroops
    expect(BigInt(envelope.fee) - resourceFee).toBe(2n * floorStroops)
  })
})

describe('Reserve floor', () => {
  it('"refused below SPONSOR_RESERVE_XLM balance with settle_exact_stellar_sponsor_unavailable"', async () => {
    await using stack = await stackWith({ network: { sponsorReserve: asStroops(2_000n * unit) } })
    const { body } = await stockRequest(stack.localnet)
    expect((await stack.post('/verify', body)).body).toMatchObject({ isValid: true })
    const refused = await stack.post('/settle', body)
    expect(refused.status).toBe(200)
    expect(refused.body).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_sponsor_unavailable',
      errorMessage: expect.stringMatching(/\S/),
      transaction: '',
    })
  })
})

describe('Channel count', () => {
  it('"CHANNEL_COUNT; one settlement at a time per channel"', async () => {
    await using stack = await stackWith({
      network: { channelCount: 1 },
      timings: { channelWaitMs: 100, confirmWindowMs: 100 },
    })
    expect((await stack.get('/supported')).body.signers['stellar:*']).toHaveLength(2)
    const first = await stockRequest(stack.localnet)
    const second = await stockRequest(stack.localnet)
    stack.hold(true)
    expect((await stack.post('/settle', first.body)).body.errorReason).toBe('settlement_pending')

    expect((await stack.post('/settle', second.body)).body).toMatchObject({
      success: false,
      errorReason: 'settle_exact_stellar_channel_unavailable',
      transaction: '',
    })

    stack.hold(false)
    await stack.localnet.closeLedger()
    await expect.poll(() => settles(stack, first.body), { timeout: 120_000 }).toBe(true)
    await expect.poll(() => settles(stack, second.body), { timeout: 120_000 }).toBe(true)
  })
})

describe('Metrics', () => {
  it('"svc_verifications_total: network, outcome, reason" and "svc_settlements_total: outcome success, failure or pending"', async () => {
    await using stack = await stackWith({ timings: { confirmWindowMs: 100 } })
    const good = await stockRequest(stack.localnet)
    const late = await stockRequest(stack.localnet)
    const wrong = { ...good.body.paymentRequirements, amount: '1' }
    await stack.post('/verify', good.body)
    await stack.post('/verify', { ...good.body, paymentRequirements: wrong })
    await stack.post('/settle', { ...good.body, paymentRequirements: wrong })
    stack.hold(true)
    await stack.post('/settle', late.body)
    stack.hold(false)
    await stack.localnet.closeLedger()
    await expect.poll(() => settles(stack, late.body), { timeout: 120_000 }).toBe(true)

    const { text } = await stack.metrics.expose()
    const counted = text.split('\n').filter((line) => /^svc_(verif|settle)\w+_total\{/.test(line))
    const network = 'network="stellar:testnet"'
    const mismatch = 'reason="invalid_exact_stellar_payload_accepted_mismatch"'
    expect(counted).toEqual(
      expect.arrayContaining([
        `svc_verifications_total{${network},outcome="valid",reason=""} 1`,
        `svc_verifications_total{${network},outcome="invalid",${mismatch}} 1`,
        `svc_settlements_total{${network},outcome="failure",${mismatch}} 1`,
        expect.stringContaining(`${network},outcome="pending",reason="settlement_pending"`),
        `svc_settlements_total{${network},outcome="success",reason=""} 1`,
      ]),
    )
  })
})

const settles = async (stack: Stack, body: object): Promise<boolean> =>
  (await stack.post('/settle', body)).body.success
