/** Merging and sponsoring: good paths and result codes. */
import { Operation } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { decimalAmount } from '../../../src/core/stroops.ts'
import { account, balance, codes, key, outcome, XLM } from './harness.ts'
import {
  alice,
  begin,
  bob,
  carol,
  create,
  dave,
  end,
  merge,
  pay,
  poor,
  sharedWorld,
  stranger,
} from './operation-rows.ts'

const { net, submitted, succeed, refuses } = sharedWorld()

describe('accountMerge', () => {
  it('hands over everything and removes the account', async () => {
    const heirloom = key(21)
    await succeed([create(heirloom, '25')])
    const before = balance(net, bob)
    await net.closeLedger()
    const merged = await succeed([merge(bob)], heirloom)
    expect(account(net, heirloom)).toBeUndefined()
    expect(balance(net, bob) - before).toBe(25n * XLM - 100n)
    expect(codes(merged.resultXdr)).toEqual(['txSuccess', 'accountMergeSuccess'])
  })

  refuses([
    {
      when: 'nobody is there',
      operations: [merge(stranger)],
      source: dave,
      answers: ['txFailed', 'accountMergeNoAccount'],
    },
    {
      when: 'the account has trustlines',
      operations: [merge(bob)],
      answers: ['txFailed', 'accountMergeHasSubEntries'],
    },
    {
      when: 'it goes to itself',
      operations: [merge(alice)],
      answers: ['ERROR', 'txFailed', 'accountMergeMalformed'],
    },
    {
      when: 'the account is about to sponsor',
      operations: [begin(carol), merge(alice), end(carol)],
      source: dave,
      signers: [dave, carol],
      answers: [
        'txFailed',
        'beginSponsoringFutureReservesSuccess',
        'accountMergeIsSponsor',
        'endSponsoringFutureReservesSuccess',
      ],
    },
  ])

  it('is refused to a sponsor', async () => {
    const ward = key(22)
    await succeed([begin(ward), create(ward, '0'), end(ward)], dave, [dave, ward])
    expect(await outcome(net, submitted({ operations: [merge(alice)], source: dave }))).toEqual([
      'txFailed',
      'accountMergeIsSponsor',
    ])
    await succeed(
      [Operation.accountMerge({ destination: dave.publicKey(), source: ward.publicKey() })],
      dave,
      [dave, ward],
    )
  })

  it('is refused in the ledger in which the account was made', async () => {
    const brief = key(23)
    const operations = [
      create(brief, '5'),
      Operation.accountMerge({ destination: alice.publicKey(), source: brief.publicKey() }),
    ]
    expect(await outcome(net, submitted({ operations, signers: [alice, brief] }))).toEqual([
      'txFailed',
      'createAccountSuccess',
      'accountMergeSeqnumTooFar',
    ])
  })
})

describe('sponsoring', () => {
  it('leaves the sponsored every lumen to spend, and the sponsor fewer', async () => {
    const ward = key(24)
    await succeed([begin(ward), create(ward, '0'), end(ward), pay(ward.publicKey(), '1')], dave, [
      dave,
      ward,
    ])
    const spending = submitted({ operations: [pay(bob.publicKey(), '0.999')], source: ward })
    expect(await outcome(net, spending)).toEqual(['txSuccess', 'paymentSuccess'])
    // Two reserves of the sponsor's own, and two that it holds for its ward.
    const free = balance(net, dave) - 2n * XLM - 100n
    const everything = pay(bob.publicKey(), decimalAmount(free + 1n, 7))
    expect(await outcome(net, submitted({ operations: [everything], source: dave }))).toEqual([
      'txFailed',
      'paymentUnderfunded',
    ])
  })

  refuses([
    {
      when: 'somebody would sponsor themselves',
      operations: [begin(alice)],
      answers: ['ERROR', 'txFailed', 'beginSponsoringFutureReservesMalformed'],
    },
    {
      when: 'it is never ended',
      operations: [begin(bob)],
      answers: ['txBadSponsorship'],
    },
    {
      when: 'it begins twice',
      operations: [begin(bob), begin(bob), end(bob)],
      signers: [alice, bob],
      answers: [
        'txFailed',
        'beginSponsoringFutureReservesSuccess',
        'beginSponsoringFutureReservesAlreadySponsored',
        'endSponsoringFutureReservesSuccess',
      ],
    },
    {
      when: 'the sponsored would sponsor in turn',
      operations: [
        begin(bob),
        Operation.beginSponsoringFutureReserves({
          sponsoredId: carol.publicKey(),
          source: bob.publicKey(),
        }),
        end(bob),
      ],
      signers: [alice, bob],
      answers: [
        'txFailed',
        'beginSponsoringFutureReservesSuccess',
        'beginSponsoringFutureReservesRecursive',
        'endSponsoringFutureReservesSuccess',
      ],
    },
    {
      when: 'nothing was begun',
      operations: [end(alice)],
      answers: ['txFailed', 'endSponsoringFutureReservesNotSponsored'],
    },
    {
      when: 'the sponsor cannot hold the reserve',
      operations: [begin(stranger), create(stranger, '0'), end(stranger)],
      source: poor,
      signers: [poor, stranger],
      answers: [
        'txFailed',
        'beginSponsoringFutureReservesSuccess',
        'createAccountLowReserve',
        'opNoAccount',
      ],
    },
  ])
})
