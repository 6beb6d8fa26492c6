import { expect, test } from 'vitest'
import type { SubmittedSettlement } from '../../../../../src/payments/engine/follow/final-result.ts'
import {
  findRefused,
  nothingRefused,
} from '../../../../../src/payments/engine/follow/landed-after-all.ts'
import { findMadeElsewhere } from '../../../../../src/payments/engine/follow/made-elsewhere.ts'
import { asStroops } from '../../../../../src/platform/core/amounts/stroops.ts'
import type { Store } from '../../../../../src/platform/database/open.ts'
import {
  type MadeTransfer,
  RpcError,
  type RpcErrorKind,
  type TransactionStatus,
  type TransferQuery,
} from '../../../../../src/stellar/rpc/rpc.ts'
import { OneSettlement } from '../one-settlement.ts'

const submitted = {
  key: { network: 'stellar:testnet', payer: 'G', nonce: '7' },
  attempt: 1,
  facts: { scheme: 'exact', asset: 'C' },
  recorded: { envelopeXdr: '', recordedAtLedger: 5 },
} as unknown as SubmittedSettlement

const find = (
  madeTransfer: (query: TransferQuery) => Promise<MadeTransfer>,
  progress: Pick<SubmittedSettlement, 'searchedThrough' | 'maxLedger'> = {},
) => {
  const rpc = { madeTransfer, transaction: () => Promise.reject(new Error('not asked')) }
  const { signal } = new AbortController()
  const expired = { kind: 'expired', because: 'its time is over' } as const
  return findMadeElsewhere(
    {} as Store,
    rpc,
    { ...submitted, ...progress },
    expired,
    nothingRefused,
    signal,
  )
}
const search = (kind: RpcErrorKind) =>
  find(() => Promise.reject(new RpcError(kind, 'getEvents', 'ledgers are missing')))

test('what the endpoints retain no longer stays undecidable, and is not searched without end', async () => {
  expect(await search('not_retained')).toEqual({
    kind: 'undecidable',
    because: expect.stringContaining('ledgers are missing'),
  })
})

test('what they do not have yet is asked again', async () => {
  await expect(search('lagging')).rejects.toThrow('ledgers are missing')
})

const expired = { kind: 'expired', because: 'its time is over' } as const
const failed = {
  kind: 'failed',
  ledger: 9,
  feeCharged: asStroops(300n),
  because: 'txFailed',
} as const
const strangers: MadeTransfer = {
  state: 'made',
  latestLedger: 20,
  transaction: 'of a stranger',
  ledger: 8,
  sources: ['GSTRANGER'],
}

/** How a payment was made whose envelope has ended, where the ledger has this transfer, and these transactions that succeeded. */
async function madeBy({
  transfer,
  succeeded = [],
  ended = expired,
  own = [],
  attempt = 1,
  scheme = 'exact',
  maxLedger,
  agreedThrough = 100,
}: {
  transfer?: MadeTransfer
  succeeded?: readonly string[]
  ended?: typeof expired | typeof failed
  own?: readonly string[]
  attempt?: number
  scheme?: string
  maxLedger?: number
  /** All endpoints have closed this ledger; 0 while they do not agree. */
  agreedThrough?: number
}) {
  const world = new OneSettlement()
  world.own = own
  world.refused = [{ attempt: 1, tx_hash: 'of the first attempt', inner_hash: 'inner' }]
  const rpc = {
    madeTransfer: async () => transfer ?? Promise.reject(new Error('not asked')),
    transaction: async (hash: string) =>
      ({
        status: succeeded.includes(hash) ? 'SUCCESS' : 'NOT_FOUND',
        ledger: 7,
        feeCharged: asStroops(200n),
        latestLedger: agreedThrough,
      }) as TransactionStatus,
  }
  const facts = { ...submitted.facts, scheme }
  const { signal } = new AbortController()
  const sent = { ...submitted, attempt, facts, ...(maxLedger !== undefined && { maxLedger }) }
  const refused = attempt === 1 ? nothingRefused : await findRefused(world.store, rpc, sent.key)
  return findMadeElsewhere(world.store, rpc, sent, ended, refused, signal)
}

const made = (hash: string, ledger: number, feeCharged: bigint) => ({
  kind: 'made',
  hash,
  outcome: { kind: 'succeeded', ledger, feeCharged },
})

test.each<{ when: string; given: Parameters<typeof madeBy>[0]; found: object }>([
  {
    when: 'no ledger has another transaction',
    given: { transfer: { state: 'not_made', latestLedger: 20 } },
    found: { kind: 'not_made' },
  },
  {
    when: 'no ledger has another transaction, and ledgers are left in which the authorization is valid',
    given: { transfer: { state: 'not_made', latestLedger: 20 }, maxLedger: 24 },
    found: { kind: 'open', ledgersLeft: 3 },
  },
  {
    when: 'one endpoint says that its authorization is over, and the others do not',
    given: { transfer: { state: 'not_made', latestLedger: 90 }, maxLedger: 24, agreedThrough: 20 },
    found: { kind: 'open', ledgersLeft: 3 },
  },
  {
    when: 'ledgers are left, but the envelope has failed',
    given: { transfer: { state: 'not_made', latestLedger: 20 }, maxLedger: 24, ended: failed },
    found: { kind: 'not_made' },
  },
  {
    when: 'the last ledger of its authorization was searched',
    given: { transfer: { state: 'not_made', latestLedger: 23 }, maxLedger: 24 },
    found: { kind: 'not_made' },
  },
  {
    when: 'the endpoints contradict each other',
    given: { transfer: { state: 'unknown', latestLedger: 20, because: 'they differ' } },
    found: { kind: 'undecidable', because: 'they differ' },
  },
  {
    when: 'a stranger made it, and the envelope is on no ledger',
    given: { transfer: strangers },
    found: made('of a stranger', 8, 0n),
  },
  {
    when: 'a stranger made it, and the ledger charged for the envelope that failed',
    given: { transfer: strangers, ended: failed },
    found: made('of a stranger', 8, 300n),
  },
  {
    when: 'a facilitator that shares the store made it, of a record that is lost',
    given: { transfer: strangers, own: ['GSTRANGER'] },
    found: { kind: 'not_made' },
  },
  {
    when: 'an attempt that was refused is on a ledger',
    given: { attempt: 2, succeeded: ['of the first attempt'] },
    found: made('of the first attempt', 7, 200n),
  },
  {
    when: 'an attempt that was refused is on a ledger, and the next one failed',
    given: { attempt: 2, succeeded: ['of the first attempt'], ended: failed },
    found: made('of the first attempt', 7, 500n),
  },
  {
    when: 'only the contract of its scheme can make it',
    given: { scheme: 'upto' },
    found: { kind: 'not_made' },
  },
])('a payment whose envelope did not make it, when $when', async ({ given, found }) => {
  expect(await madeBy(given)).toEqual(found)
})

test.each<Parameters<typeof madeBy>[0]>([
  { transfer: { state: 'not_made', latestLedger: 90 }, maxLedger: 24 },
  { transfer: { state: 'not_made', latestLedger: 90 }, attempt: 2, ended: failed },
  { transfer: strangers, own: ['GSTRANGER'], attempt: 2 },
])('nothing is decided while the endpoints do not agree: %o', async (given) => {
  await expect(madeBy({ ...given, agreedThrough: 0 })).rejects.toThrow('do not agree')
})

test('a search goes on after the ledgers that were searched, up to the last one of the authorization', async () => {
  const asked: TransferQuery[] = []
  const unfinished = { state: 'unfinished', searchedThrough: 9, latestLedger: 30 } as const
  const madeTransfer = (query: TransferQuery) => {
    asked.push(query)
    return Promise.resolve(unfinished)
  }
  const progress = await find(madeTransfer)
  expect(progress).toEqual({ kind: 'unfinished', searchedThrough: 9 })
  await find(madeTransfer, { searchedThrough: 9, maxLedger: 21 })
  expect(asked).toMatchObject([{ afterLedger: 5 }, { afterLedger: 9, validThrough: 20 }])
})
