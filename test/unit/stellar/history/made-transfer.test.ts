import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { madeTransfer } from '../../../../src/stellar/history/made-transfer.ts'
import type { MetaPlan } from '../../../support/explorer/synthetic-meta.ts'
import {
  buyer,
  channel,
  contract,
  credentialsOf,
  envelopeOf,
  invokedBy,
  type SyntheticPlan,
  seller,
  sponsor,
} from '../../../support/explorer/synthetic-transaction.ts'
import { i128, invocationOf } from '../../../support/payments.ts'
import {
  applied,
  endpoint,
  hash,
  type Ledger,
  nonce,
  signedBy,
  transfer,
} from './synthetic-history.ts'

/** Recorded at ledger 100; it failed in ledger 110. */
const query = {
  envelopeXdr: envelopeOf({ feeSource: sponsor }).toXdr('base64'),
  ...{ asset: contract, payer: buyer, nonce, afterLedger: 100, throughLedger: 110 },
}
const search = (ledger: Ledger) => madeTransfer(endpoint(ledger), query)
function counting(ledger: Ledger) {
  const methods: string[] = []
  const asked = endpoint(ledger)
  const call: typeof asked = (method, ...rest) => {
    methods.push(method)
    return asked(method, ...rest)
  }
  return { call, of: (method: string) => methods.filter((each) => each === method).length }
}
const payment = { credentials: [signedBy(buyer)] }
const moved = (plan: SyntheticPlan, meta: MetaPlan = { used: [nonce] }) => ({
  latest: 110,
  events: [transfer(i128(100n), seller)],
  transactions: applied(plan, meta),
})
const found = { state: 'made', transaction: hash, ledger: 110 }

test('what made a transfer has all accounts that submitted it', async () => {
  const plan = { ...payment, source: channel, opSource: seller, feeSource: sponsor }
  expect(await search(moved(plan))).toMatchObject({ sources: [channel, sponsor, seller] })
})

describe('a transfer that our envelope was to make', () => {
  test.each<[where: string, plan: SyntheticPlan, meta?: MetaPlan]>([
    ['in a transaction of a stranger', { ...payment, source: channel }],
    ['in a fee bump', { ...payment, feeSource: channel }],
    ['in meta of version 3', payment, { used: [nonce], version: 3 }],
    [
      'beside the authorization of another address',
      { credentials: [signedBy(channel), signedBy(buyer)] },
    ],
    [
      'with credentials of another form',
      { credentials: [xdr.SorobanCredentials.sorobanCredentialsAddressV2(credentialsOf())] },
    ],
  ])('is made %s', async (_, plan, meta) => {
    expect(await search(moved(plan, meta))).toMatchObject(found)
  })

  test.each<[when: string, ledger: Ledger]>([
    ['nothing left the payer', { latest: 110 }],
    [
      'the payer paid with another nonce',
      moved({ credentials: [signedBy(buyer, 99n)] }, { used: [99n] }),
    ],
    [
      'it is there for show',
      moved({ credentials: [signedBy(buyer), signedBy(buyer, 99n)] }, { used: [99n] }),
    ],
    [
      'its nonce allowed a call below another one',
      moved({
        ...payment,
        invocation: (call) =>
          invocationOf(invokedBy({ functionName: 'approve' }), [invocationOf(call)]),
      }),
    ],
    ['its nonce allowed another function', moved({ ...payment, functionName: 'approve' })],
    ['its nonce allowed another amount', moved({ ...payment, args: [] })],
    [
      'the payer pays lumens to itself, which changes nothing',
      moved({ credentials: [] }, { isEmpty: true }),
    ],
  ])('is not made when %s', async (_, ledger) => {
    expect(await search(ledger)).toMatchObject({ state: 'not_made' })
  })

  test('is unknown while a transaction of the payer cannot be read', async () => {
    const events = [transfer(i128(100n), seller)]
    expect(await search({ latest: 110, events })).toMatchObject({
      state: 'unknown',
      because: expect.stringContaining(hash),
    })
  })

  test('is unknown while its nonce may have allowed another call', async () => {
    const entries = [nonce, nonce].map(
      (of, n) =>
        new xdr.SorobanAuthorizationEntry({
          credentials: signedBy(buyer, of),
          rootInvocation: invocationOf(invokedBy({ functionName: n ? 'approve' : 'transfer' })),
        }),
    )
    const ledger = { ...moved({ auth: entries }), events: [transfer(xdr.ScVal.scvVoid(), seller)] }
    expect(await search(ledger)).toMatchObject({
      state: 'unknown',
      because: expect.stringContaining(hash),
    })
  })

  test('is asked for again when a replica without its ledger answers for its transaction', async () => {
    const transactions = { [hash]: { status: 'NOT_FOUND', latestLedger: 109 } }
    const ledger = { latest: 110, events: [transfer(i128(100n), seller)], transactions }
    await expect(search(ledger)).rejects.toMatchObject({ kind: 'lagging' })
  })

  test.each<[what: string, event: ReturnType<typeof transfer>]>([
    ['another amount', transfer(i128(99n), seller)],
    ['another receiver', transfer(i128(100n), channel)],
  ])('needs no transaction that moved %s', async (_, event) => {
    const asked = counting({ latest: 110, events: [event] })
    expect(await madeTransfer(asked.call, query)).toMatchObject({ state: 'not_made' })
    expect(asked.of('getTransaction')).toBe(1)
  })

  describe('among more transactions than one search asks for', () => {
    const others = (count: number, inLedger: (n: number) => number) => {
      const hashes = Array.from({ length: count }, (_, n) => (n + 1).toString(16).padStart(64, '0'))
      const event = transfer(i128(100n), seller)
      const other = { ...applied({ credentials: [signedBy(buyer, 99n)] }, { used: [99n] })[hash] }
      return {
        events: hashes.map((txHash, n) => ({ ...event, txHash, ledger: inLedger(n) })),
        transactions: Object.fromEntries(hashes.map((each) => [each, other])),
      }
    }

    test('is searched in parts of whole ledgers', async () => {
      const many = others(450, (n) => 101 + Math.floor(n / 90))
      const { events, transactions } = moved(payment)
      const asked = counting({
        latest: 110,
        events: [...many.events, ...events],
        transactions: { ...many.transactions, ...transactions },
      })
      const parts: number[] = []
      let { afterLedger } = query
      for (;;) {
        const answer = await madeTransfer(asked.call, { ...query, afterLedger })
        if (answer.state !== 'unfinished') {
          expect(answer).toMatchObject(found)
          break
        }
        afterLedger = answer.searchedThrough
        parts.push(afterLedger)
      }
      expect(parts).toEqual([102, 104])
      // Each of these transactions once, and the range of ledgers for each part.
      expect(asked.of('getTransaction')).toBe(451 + 3)
    })

    test('is searched to the end of a ledger that has more of them', async () => {
      const many = others(300, () => 105)
      const asked = counting({ latest: 110, ...many })
      expect(await madeTransfer(asked.call, query)).toMatchObject({ state: 'not_made' })
      expect(asked.of('getTransaction')).toBe(301)
    })

    test('is searched in parts of so many pages of events', async () => {
      const many = others(60, (n) => 101 + Math.floor(n / 10))
      const asked = counting({ latest: 110, pageSize: 1, ...many })
      expect(await madeTransfer(asked.call, query)).toMatchObject({
        state: 'unfinished',
        searchedThrough: 101,
      })
      expect(asked.of('getEvents')).toBe(20)
    })
  })

  test('is searched no longer than the authorization is valid', async () => {
    const { throughLedger: _, ...open } = query
    const asked = counting({ latest: 90_000, events: [] })
    const valid = { ...open, validThrough: 160 }
    expect(await madeTransfer(asked.call, valid)).toMatchObject({ state: 'not_made' })
    expect(asked.of('getEvents')).toBe(1)
  })

  test.each<[which: string, kind: string, ledger: Ledger]>([
    ['the first one is no longer there', 'not_retained', { latest: 110, oldest: 102 }],
    ['the last one is not there yet', 'lagging', { latest: 109 }],
    ['a replica of the endpoint lacks the last one', 'lagging', { latest: 110, searched: 109 }],
  ])('is asked for again when of the ledgers %s', async (_, kind, ledger) => {
    await expect(search(ledger)).rejects.toMatchObject({ kind })
  })

  test('is searched up to the latest ledger where no last one is known', async () => {
    const { throughLedger: _, ...open } = query
    expect(await madeTransfer(endpoint({ latest: 150 }), open)).toEqual({
      state: 'not_made',
      latestLedger: 150,
    })
  })
})
