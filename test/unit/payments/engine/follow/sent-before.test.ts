import { expect, it } from 'vitest'
import { resultOnceSent } from '../../../../../src/payments/engine/follow/sent-before.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { MadeTransfer } from '../../../../../src/stellar/rpc/rpc.ts'
import { asset, payer } from '../../protocol/payment-builder.ts'
import { claimedRow, key, OneSettlement } from '../one-settlement.ts'

const LAST_LEDGER = 1_010
const hasNoFunds = { success: false, errorReason: 'of the next attempt', transaction: '' }
const pending = { success: false, errorReason: 'settlement_pending', transaction: 'fee bump 1' }
const madeBy = (transaction: string) => ({ success: true, transaction, payer })

/** The next attempt is refused before it is sent, of a payment whose first attempt the network refused. */
async function refusedAgain({
  was = [{ attempt: 1, tx_hash: 'fee bump 1', inner_hash: 'inner 1' }],
  fingerprint = 'f',
  landed = {},
  agreedThrough = LAST_LEDGER,
  transfer = { state: 'not_made', latestLedger: LAST_LEDGER },
}: {
  was?: OneSettlement['refused']
  fingerprint?: string
  landed?: Readonly<Record<string, 'SUCCESS' | 'FAILED'>>
  /** All endpoints have closed this ledger. */
  agreedThrough?: number
  transfer?: MadeTransfer
} = {}) {
  const world = new OneSettlement({ ...claimedRow, state: 'refused', attempt: 2 })
  const columns = { envelope_xdr: 'AAAA', recorded_at_ledger: 10n }
  world.refused = was.map((attempt) => ({ ...columns, ...attempt }))
  const rpc = {
    transaction: async (hash: string) => ({
      ...{ status: landed[hash] ?? 'NOT_FOUND', ledger: 12, feeCharged: asStroops(300n) },
      latestLedger: agreedThrough,
    }),
    madeTransfer: async () => transfer,
  }
  const payment = {
    ...{ payer, request: { paymentRequirements: { network: key.network, asset } } },
    authorization: { expirationLedger: LAST_LEDGER },
  }
  const network = { rpc, time: { latestLedger: LAST_LEDGER } }
  const request = { network, payment, key, fingerprint } as unknown as Parameters<
    typeof resultOnceSent
  >[1]
  const { response } = await resultOnceSent(world.store, request, { response: hasNoFunds } as never)
  return { response, row: world.row }
}

it.each<{
  when: string
  given?: Parameters<typeof refusedAgain>[0]
  answer: object
  row?: object
}>([
  { when: 'nothing was sent before', given: { was: [] }, answer: hasNoFunds },
  { when: 'no ledger can have the payment any more', answer: hasNoFunds },
  {
    when: 'an endpoint does not agree',
    given: { agreedThrough: LAST_LEDGER - 1 },
    answer: pending,
  },
  {
    when: 'ledgers are left to be searched',
    given: { transfer: { state: 'not_made', latestLedger: LAST_LEDGER - 1 } },
    answer: pending,
  },
  {
    when: 'a transaction of the payer cannot be read',
    given: { transfer: { state: 'unknown', latestLedger: LAST_LEDGER, because: 'one is unread' } },
    answer: pending,
  },
  {
    when: 'a ledger has the refused attempt',
    given: { landed: { 'fee bump 1': 'SUCCESS' } },
    answer: madeBy('fee bump 1'),
    row: { state: 'succeeded', ledger: 12, fee_charged: 300n },
  },
  {
    when: 'a stranger made the payment, and the refused attempt failed on a ledger',
    given: {
      landed: { 'fee bump 1': 'FAILED' },
      transfer: {
        ...{ state: 'made', latestLedger: LAST_LEDGER, transaction: 'of a stranger', ledger: 11 },
        sources: ['GSTRANGER'],
      },
    },
    answer: madeBy('of a stranger'),
    row: { state: 'succeeded', ledger: 11, fee_charged: 300n },
  },
  {
    when: 'the authorization is used for another request',
    given: { fingerprint: 'of another request', landed: { 'fee bump 1': 'SUCCESS' } },
    answer: {
      success: false,
      errorReason: 'settle_exact_stellar_idempotency_conflict',
      transaction: '',
    },
  },
])(
  'a refused next attempt is answered by what became of the first one when $when',
  async ({ given, answer, row = { state: 'refused' } }) => {
    const { response, row: stored } = await refusedAgain(given)
    expect(response).toMatchObject(answer)
    expect(stored).toMatchObject(row)
  },
)
