import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { provesUnsent } from '../../../src/payments/protocol/unsettled.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { leasedChannels, rowOf, untilState } from './store-view.ts'
import { openWorld } from './world.ts'

test('an ERROR without a result code is no refusal: the ledger decides', async () => {
  await using proxy = await startRpcProxy()
  await using world = await openWorld({ rpcThrough: proxy.forwardTo })
  const { stack } = world
  const body = await world.pay()
  const before = stack.localnet.network.latest.sequence
  const change = (result: object) => ({ ...result, status: 'ERROR' })
  proxy.fail('sendTransaction', { kind: 'rewrite', change }, 1)

  const { body: answer } = await stack.post('/settle', body)

  expect(answer).toMatchObject({ success: true })
  expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded' })
  const hashes = transactionsAfter(stack.localnet.network, before).map(({ hash }) => hash)
  expect(hashes).toEqual([answer.transaction])
})

const lies = {
  txMalformed: { result: xdr.TransactionResultResult.txMalformed(), feeCharged: 0n },
  txInsufficientBalance: {
    result: xdr.TransactionResultResult.txInsufficientBalance(),
    feeCharged: 0n,
  },
  // A higher fee than the settings allow, so that the payment does not bid again.
  txInsufficientFee: {
    result: xdr.TransactionResultResult.txInsufficientFee(),
    feeCharged: 1_000_000_000n,
  },
} as const

describe.each(Object.entries(lies))(
  'an endpoint that passes an envelope on and answers %s',
  (code, said) => {
    const ext = xdr.TransactionResultExt.v0()
    const errorResultXdr = new xdr.TransactionResult({ ...said, ext }).toXdr('base64')
    const lie = (result: object) => ({ ...result, status: 'ERROR', errorResultXdr })

    test('is answered with the success that the next ledger has', async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({ rpcThrough: proxy.forwardTo })
      const { stack } = world
      const body = await world.pay()
      proxy.fail('sendTransaction', { kind: 'rewrite', change: lie })
      expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
      expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded' })
    })

    test('frees neither authorization nor channel, and a later ledger still makes it a success', async () => {
      await using proxy = await startRpcProxy()
      await using world = await openWorld({
        rpcThrough: proxy.forwardTo,
        timings: { refusedWaitMs: 300 },
      })
      const { stack } = world
      const { network } = stack.localnet
      stack.hold(true)
      const body = await world.pay()
      const before = network.latest.sequence
      proxy.fail('sendTransaction', { kind: 'rewrite', change: lie })
      const { body: answer } = await stack.post('/settle', body)
      expect(answer).toMatchObject({
        success: false,
        errorReason: 'settle_exact_stellar_transaction_submission_failed',
        errorMessage: expect.stringContaining(`the network refused the transaction: ${code}`),
      })
      // Its buyer must not sign another payment for the same.
      expect(provesUnsent(String(answer.errorReason))).toBe(false)
      expect(await rowOf(stack, body)).toMatchObject({ state: 'submitted' })
      expect(await leasedChannels(stack)).toBe(1)

      await stack.localnet.closeLedger()
      await untilState(stack, body, 'succeeded')
      const { transaction } = answer
      expect((await stack.post('/settle', body)).body).toMatchObject({ success: true, transaction })
      expect(transactionsAfter(network, before).map(({ hash }) => hash)).toEqual([transaction])
    })
  },
)
