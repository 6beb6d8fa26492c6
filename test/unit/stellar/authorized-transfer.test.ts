import { nativeToScVal, xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import { usdcContracts } from '../../../src/core/caip2.ts'
import { authorizedTransfer } from '../../../src/stellar/authorized-transfer.ts'
import type { CallRpc } from '../../../src/stellar/json-rpc.ts'
import { RpcError } from '../../../src/stellar/rpc.ts'
import {
  buyer,
  channel,
  credentialsOf,
  envelopeOf,
  type SyntheticPlan,
} from '../../support/explorer/synthetic-transaction.ts'

/* What an RPC cannot show; what it shows is in test/component/mcp, on a ledger. */

/** Of the credentials in a synthetic transaction. */
const { nonce } = credentialsOf()
const authorization = {
  asset: usdcContracts['stellar:testnet'],
  payer: buyer,
  nonce,
  afterLedger: 100,
  lastLedger: 112,
}

interface Ledger {
  readonly latest: number
  readonly oldest?: number
  /** What the search of events knew; another replica may have answered it. */
  readonly searched?: number
  readonly events?: readonly object[]
  /** By hash. */
  readonly transactions?: Readonly<Record<string, object>>
}

/** An endpoint that has this; it refuses to search where it has nothing. */
function endpoint({
  latest,
  oldest = 1,
  searched = latest,
  events = [],
  transactions = {},
}: Ledger) {
  const found: CallRpc = async (method, params, schema) => {
    const answer =
      method === 'getEvents'
        ? { latestLedger: searched, events }
        : (transactions[String(params?.['hash'])] ?? { status: 'NOT_FOUND' })
    const first = Number(params?.['startLedger'])
    if (first < oldest || first > latest) throw new RpcError('rejected', method, 'not retained')
    const range = { latestLedger: latest, oldestLedger: oldest }
    const times = { latestLedgerCloseTime: 9, oldestLedgerCloseTime: 1 }
    const read = schema.safeParse({ ...range, ...times, ...answer })
    if (!read.success) throw new RpcError('unreadable', method, 'another answer')
    return read.data
  }
  return found
}

const hash = 'a'.repeat(64)
const transfer = (value = nativeToScVal(5n, { type: 'i128' })) => ({
  ledger: 110,
  txHash: hash,
  topic: [
    xdr.ScVal.scvSymbol('transfer').toXdr('base64'),
    nativeToScVal(buyer, { type: 'address' }).toXdr('base64'),
  ],
  value: value.toXdr('base64'),
})
const ofNothing = transfer(nativeToScVal(0n, { type: 'i128' }))

/** The transfer is in this transaction. */
const applied = (plan: SyntheticPlan | Buffer, status = 'SUCCESS') => ({
  [hash]: {
    status,
    createdAt: '1045',
    envelopeXdr: Buffer.isBuffer(plan) ? plan.toString('base64') : envelopeOf(plan).toXdr('base64'),
  },
})
const signedBy = (address: string, other = nonce) => {
  const credentials = credentialsOf(address)
  return xdr.SorobanCredentials.sorobanCredentialsAddress(
    new xdr.SorobanAddressCredentials({ ...credentials, nonce: other }),
  )
}
const unknownFunction = () => {
  const bytes = Buffer.from(envelopeOf().toXdr())
  // The type of the operation (24), then that of the host function.
  const at = bytes.indexOf(Buffer.from([0, 0, 0, 24, 0, 0, 0, 0]))
  bytes.writeUInt32BE(9, at + 4)
  return bytes
}

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

  test.each<[what: string, transactions: Record<string, object>]>([
    ['a transaction that is not there', {}],
    ['a transaction that failed, as the endpoint says', applied({}, 'FAILED')],
    ['an envelope of an unknown host function', applied(unknownFunction())],
    ['a call without an authorization of the payer', applied({ credentials: [signedBy(channel)] })],
    [
      'a call with it and another one',
      applied({ credentials: [signedBy(buyer, 99n), signedBy(buyer)] }),
    ],
    ['its own transaction with it', applied({ credentials: [signedBy(buyer)], source: buyer })],
  ])('is open, then unexplained, while the payer paid in %s', async (_, transactions) => {
    const ledger = { events: [transfer()], transactions }
    const states = [112, 113].map((latest) =>
      authorizedTransfer(endpoint({ ...ledger, latest }), authorization),
    )
    expect(await Promise.all(states)).toEqual([
      { state: 'open' },
      { state: 'unexplained', because: 'unknown_transfer' },
    ])
  })

  test.each<[what: string, plan: SyntheticPlan]>([
    ['with another authorization', { credentials: [signedBy(buyer, 99n)] }],
    ['as the source', { credentials: [], source: buyer }],
    ['as the source of the operation', { credentials: [], opSource: buyer }],
    ['as the one who pays the fee', { credentials: [], feeSource: buyer }],
  ])('is unused when the payer paid %s', async (_, plan) => {
    const ledger = { latest: 113, events: [transfer()], transactions: applied(plan) }
    expect(await authorizedTransfer(endpoint(ledger), authorization)).toEqual({ state: 'unused' })
  })

  test('that is in a transaction moved what left the payer there, also with ledgers missing', async () => {
    const transactions = applied({ credentials: [signedBy(channel), signedBy(buyer)] })
    const ledger = { latest: 900, oldest: 110, events: [transfer(), transfer()], transactions }
    expect(await authorizedTransfer(endpoint(ledger), authorization)).toEqual({
      state: 'moved',
      amount: 10n,
      transaction: hash,
      closedAtMs: 1_045_000,
    })
  })

  test('is not called anything when an event has no amount', async () => {
    const events = [transfer(nativeToScVal('all', { type: 'string' }))]
    await expect(
      authorizedTransfer(endpoint({ latest: 113, events }), authorization),
    ).rejects.toThrow(RangeError)
  })
})
