import { nativeToScVal } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'
import {
  authorizedTransfer,
  transferSearch,
} from '../../../../src/stellar/history/authorized-transfer.ts'
import { RpcError } from '../../../../src/stellar/rpc/rpc.ts'
import type { CallRpc } from '../../../../src/stellar/rpc/transport/json-rpc.ts'
import type { MetaPlan } from '../../../support/explorer/synthetic-meta.ts'
import {
  buyer,
  channel,
  envelopeOf,
  type SyntheticPlan,
} from '../../../support/explorer/synthetic-transaction.ts'
import {
  applied,
  endpoint,
  hash,
  type Ledger,
  nonce,
  signedBy,
  transfer,
} from './synthetic-history.ts'

/* What an RPC cannot show; what it shows is in test/component/buying/mcp, on a ledger. */

const authorization = {
  asset: usdcContracts['stellar:testnet'],
  payer: buyer,
  nonce,
  afterLedger: 100,
  lastLedger: 112,
}

const without = (member: 'envelopeXdr' | 'resultMetaXdr') => {
  const { [hash]: transaction } = applied({ credentials: [signedBy(buyer)] }, { used: [nonce] })
  return { [hash]: { ...transaction, [member]: undefined } }
}
const unknownFunction = () => {
  const bytes = Buffer.from(envelopeOf().toXdr())
  // The type of the operation (24), then that of the host function.
  const at = bytes.indexOf(Buffer.from([0, 0, 0, 24, 0, 0, 0, 0]))
  bytes.writeUInt32BE(9, at + 4)
  return bytes
}

const ofNothing = transfer(nativeToScVal(0n, { type: 'i128' }))

/** `TransactionMeta` of version 2, with one operation. */
const BEFORE_CONTRACTS = Buffer.from([2, 0, 1, 0, 0].flatMap((n) => [0, 0, 0, n])).toString(
  'base64',
)

describe('an authorization', () => {
  test.each<[when: string, state: string, ledger: Ledger]>([
    ['before any ledger closed', 'open', { latest: 100 }],
    ['while it is valid', 'open', { latest: 112 }],
    ['when the search was behind', 'open', { latest: 113, searched: 112 }],
    ['when it has expired', 'unused', { latest: 113 }],
    ['when the ledgers of it alone are there', 'unused', { latest: 113, oldest: 101 }],
    ['when anybody moved nothing', 'unused', { latest: 113, events: [ofNothing] }],
  ])('%s is %s', async (_, state, ledger) => {
    expect(await authorizedTransfer(endpoint(ledger), authorization)).toEqual({ state })
  })

  test.each<[when: string, oldest: number, latest: number]>([
    ['its first ledger', 102, 113],
    ['all but its last ledger', 112, 900],
    ['all of its ledgers', 500, 900],
  ])('is unexplained when %s is no longer retained', async (_, oldest, latest) => {
    expect(await authorizedTransfer(endpoint({ latest, oldest }), authorization)).toEqual({
      state: 'unexplained',
      because: 'not_retained',
    })
  })

  const withIt = { credentials: [signedBy(buyer)] }
  test.each<[what: string, transactions: Record<string, object>]>([
    ['a transaction that is not there', {}],
    ['a transaction that failed, as the endpoint says', { [hash]: { status: 'FAILED' } }],
    ['an envelope of an unknown host function', applied(unknownFunction())],
    ['a transaction without its envelope', without('envelopeXdr')],
    ['a transaction without meta', without('resultMetaXdr')],
    ['meta that cannot be read', applied(withIt, 'AAAA')],
    ['meta of a protocol before contracts', applied(withIt, BEFORE_CONTRACTS)],
    ['meta without any change', applied(withIt, { isEmpty: true })],
    ['meta of another number of operations', applied(withIt, { operations: 2 })],
    ['meta with a nonce that the transaction did not carry', applied({}, { used: [nonce, 99n] })],
  ])('is open, then unexplained, while the payer paid in %s', async (_, transactions) => {
    await expectOpenThenUnexplained({ events: [transfer()], transactions })
  })

  test('is open, then unexplained, while it paid what no event says', async () => {
    const events = [transfer(), transfer(nativeToScVal('all', { type: 'string' }))]
    const transactions = applied(withIt, { used: [nonce] })
    await expectOpenThenUnexplained({ events, transactions })
  })

  async function expectOpenThenUnexplained(ledger: Omit<Ledger, 'latest'>) {
    const states = [112, 113].map((latest) =>
      authorizedTransfer(endpoint({ ...ledger, latest }), authorization),
    )
    expect(await Promise.all(states)).toEqual([
      { state: 'open' },
      { state: 'unexplained', because: 'unknown_transfer' },
    ])
  }

  test.each<[what: string, plan: SyntheticPlan, meta?: MetaPlan]>([
    ['with another authorization', { credentials: [signedBy(buyer, 99n)] }, { used: [99n] }],
    ['as the source', { credentials: [], source: buyer }],
    ['as the source of the operation', { credentials: [], opSource: buyer }],
    ['as the one who pays the fee', { credentials: [], feeSource: buyer }],
    ['by an allowance', { credentials: [signedBy(channel, 99n)] }],
    [
      'by an allowance, with it for show',
      { credentials: [signedBy(channel, 99n), signedBy(buyer)] },
    ],
    ['as the source, with it for show', { credentials: [signedBy(buyer)], source: buyer }],
    [
      'with another authorization, with it for show',
      { credentials: [signedBy(buyer), signedBy(buyer, 99n)] },
      { used: [99n] },
    ],
    [
      'while another address used the same nonce',
      { credentials: [signedBy(channel), signedBy(buyer)] },
      { usedByOther: { address: channel, nonce } },
    ],
  ])('is unused when the payer paid %s', async (_, plan, meta) => {
    const ledger = { latest: 113, events: [transfer()], transactions: applied(plan, meta) }
    expect(await authorizedTransfer(endpoint(ledger), authorization)).toEqual({ state: 'unused' })
  })

  test.each<[what: string, plan: SyntheticPlan, meta?: MetaPlan]>([
    ['alone', { credentials: [signedBy(channel), signedBy(buyer)] }],
    ['beside another one', { credentials: [signedBy(buyer, 99n), signedBy(buyer)] }],
    ['in a transaction of the payer', { ...withIt, source: buyer }],
    ['in meta of version 3', withIt, { version: 3 }],
  ])('that was used %s moved what left the payer there', async (_, plan, meta) => {
    const transactions = applied(plan, { used: [nonce], ...meta })
    // Also with ledgers missing.
    const ledger = { latest: 900, oldest: 110, events: [transfer(), transfer()], transactions }
    expect(await authorizedTransfer(endpoint(ledger), authorization)).toEqual({
      state: 'moved',
      amount: 10n,
      transaction: hash,
      closedAtMs: 1_045_000,
    })
  })
})

describe('a search', () => {
  const other = { ...transfer(), txHash: 'b'.repeat(64) }
  const transactions = applied({ credentials: [signedBy(buyer)] }, { used: [nonce] })

  test('goes on after a page that was cut below its limit', async () => {
    const ledger = { latest: 113, events: [other, transfer()], pageSize: 1, transactions }
    expect(await authorizedTransfer(endpoint(ledger), authorization)).toMatchObject({
      state: 'moved',
      transaction: hash,
    })
  })

  test('takes no page of events without a cursor for the last one', async () => {
    const ledger = { latest: 113, events: [ofNothing], hasCursor: false }
    await expect(authorizedTransfer(endpoint(ledger), authorization)).rejects.toMatchObject({
      kind: 'unreadable',
    })
  })

  test('takes no event of a ledger that it does not know', async () => {
    const ledger = { latest: 113, searched: 109, events: [transfer()], transactions }
    expect(await authorizedTransfer(endpoint(ledger), authorization)).toEqual({ state: 'open' })
  })
})

describe('many authorizations', () => {
  const ROWS = 20
  /** Signed one after the other, and all valid in the ledgers in which they are used. */
  const authorizations = Array.from({ length: ROWS }, (_, n) => ({
    ...authorization,
    nonce: BigInt(n),
    afterLedger: 80 + n,
    lastLedger: 120 + n,
  }))
  const hashOf = (n: number) => (n + 1).toString(16).padStart(64, '0')
  const used = authorizations.map(({ nonce: own }, n) => ({
    event: { ...transfer(), ledger: 101 + n, txHash: hashOf(n) },
    transaction: applied({ credentials: [signedBy(buyer, own)] }, { used: [own] })[hash],
  }))
  const ledger: Ledger = {
    latest: 900,
    events: used.map(({ event }) => event),
    transactions: Object.fromEntries(
      used.map(({ transaction }, n) => [hashOf(n), { ...transaction }]),
    ),
  }
  /** Of one call at a time, by method. */
  function counting(call: CallRpc) {
    const calls: Record<string, number> = {}
    const counted: CallRpc = (method, ...rest) => {
      calls[method] = (calls[method] ?? 0) + 1
      return call(method, ...rest)
    }
    return { calls, counted }
  }

  test('read each ledger and each transaction once', async () => {
    const expected = authorizations.map((_, n) => ({ state: 'moved', transaction: hashOf(n) }))
    const oneByOne = counting(endpoint(ledger))
    const each = authorizations.map((one) => authorizedTransfer(oneByOne.counted, one))
    expect(await Promise.all(each)).toMatchObject(expected)
    // The first call of a search asks which ledgers there are.
    expect(oneByOne.calls).toEqual({ getEvents: 2 * ROWS, getTransaction: ROWS * (1 + ROWS) })

    const { calls, counted } = counting(endpoint(ledger))
    const outcomes = authorizations.map(transferSearch(counted, authorizations))
    expect(await Promise.all(outcomes)).toMatchObject(expected)
    expect(calls).toEqual({ getEvents: 2, getTransaction: 1 + ROWS })
  })

  test('are each asked about in its own ledgers, of its own payer', async () => {
    const [first] = authorizations as [typeof authorization]
    const before = { ...first, afterLedger: 10, lastLedger: 12 }
    const after = { ...first, afterLedger: 101, lastLedger: 112 }
    const ofOther = { ...first, payer: channel }
    const { calls, counted } = counting(endpoint(ledger))
    const all = [ofOther, after, first, before]
    const outcomes = await Promise.all(all.map(transferSearch(counted, all)))
    expect(outcomes.map(({ state }) => state)).toEqual(['unused', 'unused', 'moved', 'unused'])
    expect(calls['getEvents']).toBe(5)
  })

  test('do not wait for each other where a transaction cannot be asked for', async () => {
    const later = { ...authorization, afterLedger: 101, lastLedger: 115 }
    const known = endpoint(ledger)
    const call: CallRpc = (method, params, ...rest) =>
      params?.['hash'] === hashOf(0)
        ? Promise.reject(new RpcError('transport', method, 'no answer'))
        : known(method, params, ...rest)
    const all = [authorization, later]
    const outcomes = await Promise.allSettled(all.map(transferSearch(call, all)))
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { kind: 'transport' } },
      { status: 'fulfilled', value: { state: 'unused' } },
    ])
  })
})
