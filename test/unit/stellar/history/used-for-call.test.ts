import { xdr } from '@stellar/stellar-sdk'
import { describe, expect, test } from 'vitest'
import type { Move } from '../../../../src/stellar/history/payer-transfers.ts'
import { madeBy } from '../../../../src/stellar/history/used-for-call.ts'
import {
  buyer,
  channel,
  envelopeOf,
  invokedBy,
  seller,
  sponsor,
} from '../../../support/explorer/synthetic-transaction.ts'
import { addressValue, i128, invocationOf, muxed } from '../../../support/payments.ts'
import { nonce, signedBy } from './synthetic-history.ts'

const paying = (to: string, amount = 100n) => ({
  args: [addressValue(buyer), addressValue(to), i128(amount)],
})
const [ours, others] = [paying(seller), paying(sponsor, 7n)]
const muxedCall = paying(muxed(seller))
const approve = { functionName: 'approve' }

type Call = Parameters<typeof invokedBy>[0]
const entry = (of: bigint, call: Call, { below = [] as Call[], payer = buyer } = {}) =>
  new xdr.SorobanAuthorizationEntry({
    credentials: signedBy(payer, of),
    rootInvocation: invocationOf(
      invokedBy(call),
      below.map((each) => invocationOf(invokedBy(each))),
    ),
  })
const xdrOf = (auth: xdr.SorobanAuthorizationEntry[], call: Call = ours) =>
  envelopeOf({ ...call, auth }).toXdr('base64')

const move: Move = { to: seller, amount: 100n }
const toOther: Move = { to: sponsor, amount: 7n }
const another = 99n

describe('a transaction that used the nonce', () => {
  test.each<[when: string, auth: xdr.SorobanAuthorizationEntry[], moves: Move[]]>([
    ['of an entry with our call alone', [entry(nonce, ours)], [move]],
    ['and has calls below ours that nobody needs', [entry(nonce, ours, { below: [ours] })], [move]],
    [
      'beside an entry of the same nonce that nobody signed',
      [entry(nonce, ours), entry(nonce, approve)],
      [move],
    ],
    [
      'and an unsigned entry before it, for another call',
      [entry(nonce, approve), entry(nonce, ours)],
      [move],
    ],
    [
      'for two payments, whose entries are repeated the other way round',
      [
        ...[entry(nonce, ours), entry(another, others)],
        ...[entry(another, ours), entry(nonce, others)],
      ],
      [move, toOther],
    ],
    [
      'for the second of two payments with the same terms',
      [entry(another, ours), entry(nonce, ours), entry(nonce, approve)],
      [move, move],
    ],
    [
      'beside the entry of another payer',
      [entry(nonce, ours, { payer: channel }), entry(nonce, ours), entry(nonce, approve)],
      [move],
    ],
  ])('made our call: %s', (_, auth, moves) => {
    expect(madeBy(signed(ours), xdrOf(auth), moves)).toBe('made')
  })

  test.each<[when: string, auth: xdr.SorobanAuthorizationEntry[], moves: Move[]]>([
    ['it has no entry of the payer with our call', [entry(nonce, approve)], [move]],
    ['our call stands below another one', [entry(nonce, approve, { below: [ours] })], [move]],
    [
      'the transfer is that of an earlier entry',
      [entry(another, ours), entry(nonce, ours), entry(nonce, approve)],
      [move],
    ],
    [
      'it moved another amount',
      [entry(nonce, ours), entry(nonce, approve)],
      [{ ...move, amount: 99n }],
    ],
    ['it paid another receiver', [entry(nonce, ours), entry(nonce, approve)], [toOther]],
    [
      'it paid the same account for another of its buyers',
      [entry(nonce, ours), entry(nonce, approve), entry(another, muxedCall)],
      [{ ...move, muxedId: 42n }],
    ],
  ])('did not make our call: %s', (_, auth, moves) => {
    expect(madeBy(signed(ours), xdrOf(auth), moves)).toBe('not_made')
  })

  test('made our call for the receiver with this id', () => {
    const auth = [entry(nonce, muxedCall), entry(nonce, approve)]
    const moves = [{ ...move, muxedId: 42n }]
    expect(madeBy(signed(muxedCall), xdrOf(auth), moves)).toBe('made')
    const ofNobody = [{ ...move, muxedId: 43n }]
    expect(madeBy(signed(muxedCall), xdrOf(auth), ofNobody)).toBe('not_made')
  })

  test.each<[what: string, moves: Move[]]>([
    ['an amount', [{ to: seller, amount: undefined }]],
    ['a receiver', [{ to: '', amount: 100n }]],
  ])('may have made our call when an event of the token does not have %s', (_, moves) => {
    const auth = [entry(nonce, ours), entry(nonce, approve)]
    expect(madeBy(signed(ours), xdrOf(auth), moves)).toBe('unknown')
  })
})

function signed(call: Call) {
  return { payer: buyer, nonce, envelopeXdr: xdrOf([entry(nonce, call)], call) }
}
