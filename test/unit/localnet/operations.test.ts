/** Accounts, payments and trustlines: each operation's good path and its result codes. */
import { Asset, Operation, xdr } from '@stellar/stellar-sdk'
import { describe, expect, it } from 'vitest'
import { USDC_ISSUER, usdc } from '../../../src/localnet/genesis-assets.ts'
import { muxedAccountOf } from '../../../src/localnet/ledger/account-id.ts'
import { account, balance, idOf, key, outcome, trustline, XLM } from './harness.ts'
import {
  alice,
  begin,
  bob,
  carol,
  create,
  dave,
  end,
  issuer,
  own,
  pay,
  poor,
  sharedWorld,
  stranger,
  trust,
} from './operation-rows.ts'

const { net, submitted, succeed, refuses } = sharedWorld()
const nobodys = new Asset('GONE', stranger.publicKey())
const max = '922337203685.4775807'

/** The SDK refuses to make one. */
const nothing = new xdr.Operation({
  sourceAccount: null,
  body: xdr.OperationBody.payment(
    new xdr.PaymentOp({
      destination: muxedAccountOf(idOf(bob)),
      asset: xdr.Asset.assetTypeNative(),
      amount: 0n,
    }),
  ),
})
describe('createAccount', () => {
  it('makes an account whose sequence number starts with the ledger', async () => {
    const fresh = key(20)
    const { ledger } = await succeed([create(fresh, '1')])
    expect(account(net, fresh)).toMatchObject({
      balance: XLM,
      sequence: BigInt(ledger) << 32n,
      subEntries: 0,
    })
  })

  refuses([
    {
      when: 'the account exists',
      operations: [create(bob, '10')],
      answers: ['txFailed', 'createAccountAlreadyExist'],
    },
    {
      when: 'the balance is below two reserves',
      operations: [create(stranger, '0.9999999')],
      answers: ['txFailed', 'createAccountLowReserve'],
    },
    {
      when: 'it starts with nothing and without a sponsor',
      operations: [create(stranger, '0')],
      answers: ['txFailed', 'createAccountLowReserve'],
    },
    {
      when: 'the source cannot spare it',
      operations: [create(stranger, '5000')],
      answers: ['txFailed', 'createAccountUnderfunded'],
    },
    {
      when: 'an account would make itself',
      operations: [create(alice, '5')],
      answers: ['ERROR', 'txFailed', 'createAccountMalformed'],
    },
  ])
})

describe('payment', () => {
  it('moves lumens', async () => {
    const before = balance(net, bob)
    await succeed([pay(bob.publicKey(), '3')])
    expect(balance(net, bob) - before).toBe(3n * XLM)
  })

  it('moves credit between trustlines', async () => {
    await succeed([pay(bob.publicKey(), '1', own), pay(alice.publicKey(), '1', own, bob)], alice, [
      alice,
      bob,
    ])
    expect(trustline(net, alice, own)?.balance).toBe(100n * XLM)
  })

  it('takes credit out of the world when it goes to its issuer', async () => {
    await succeed([pay(issuer.publicKey(), '1', own)], bob)
    expect(trustline(net, bob, own)?.balance).toBe(99n * XLM)
    expect(trustline(net, issuer, own)).toBeUndefined()
  })

  it('of lumens to oneself succeeds and moves nothing', async () => {
    const before = balance(net, alice)
    await succeed([pay(alice.publicKey(), '900000')])
    expect(before - balance(net, alice)).toBe(100n)
  })

  refuses([
    {
      when: 'the amount is zero',
      operations: [nothing],
      answers: ['ERROR', 'txFailed', 'paymentMalformed'],
    },
    {
      when: 'nobody is there',
      operations: [pay(stranger.publicKey(), '1')],
      answers: ['txFailed', 'paymentNoDestination'],
    },
    {
      when: 'lumens are short of the reserve',
      operations: [pay(bob.publicKey(), '1000')],
      answers: ['txFailed', 'paymentUnderfunded'],
    },
    {
      when: 'credit is short',
      operations: [pay(bob.publicKey(), '101', own)],
      answers: ['txFailed', 'paymentUnderfunded'],
    },
    {
      when: 'the receiver does not trust the asset',
      operations: [pay(dave.publicKey(), '1', own)],
      answers: ['txFailed', 'paymentNoTrust'],
    },
    {
      when: 'the sender does not trust the asset',
      operations: [pay(carol.publicKey(), '1', own)],
      source: dave,
      answers: ['txFailed', 'paymentSrcNoTrust'],
    },
    {
      when: "the receiver's limit is below it",
      operations: [pay(carol.publicKey(), '1001', own)],
      source: issuer,
      answers: ['txFailed', 'paymentLineFull'],
    },
    {
      when: 'the receiver cannot count so many lumens',
      operations: [pay(bob.publicKey(), max)],
      answers: ['txFailed', 'paymentLineFull'],
    },
  ])
})

describe('changeTrust', () => {
  it('opens a line, changes its limit and closes it again', async () => {
    await succeed([trust(own, '5')], dave)
    expect(trustline(net, dave, own)).toMatchObject({ limit: 5n * XLM, balance: 0n, flags: 1 })
    expect(account(net, dave)?.subEntries).toBe(1)
    await succeed([trust(own, '7')], dave)
    expect(trustline(net, dave, own)?.limit).toBe(7n * XLM)
    await succeed([trust(own, '0')], dave)
    expect(trustline(net, dave, own)).toBeUndefined()
    expect(account(net, dave)?.subEntries).toBe(0)
  })

  it('sponsored by somebody leaves the owner as free as before', async () => {
    const sponsored = [
      begin(poor),
      Operation.changeTrust({ asset: usdc, source: poor.publicKey() }),
    ]
    await succeed([...sponsored, end(poor)], alice, [alice, poor])
    expect(trustline(net, poor, usdc)?.sponsor).toBe(idOf(alice))
    expect(account(net, poor)).toMatchObject({ subEntries: 1, sponsored: 1 })
    expect(account(net, alice)).toMatchObject({ sponsoring: 1 })

    const close = Operation.changeTrust({ asset: usdc, limit: '0', source: poor.publicKey() })
    await succeed([close], alice, [alice, poor])
    expect(account(net, poor)).toMatchObject({ subEntries: 0, sponsored: 0 })
    expect(account(net, alice)).toMatchObject({ sponsoring: 0 })
  })

  refuses([
    {
      when: 'there is no issuer',
      operations: [trust(nobodys)],
      answers: ['txFailed', 'changeTrustNoIssuer'],
    },
    {
      when: 'the limit is below what is held',
      operations: [trust(own, '99')],
      answers: ['txFailed', 'changeTrustInvalidLimit'],
    },
    {
      when: 'a line that holds something is closed',
      operations: [trust(own, '0')],
      answers: ['txFailed', 'changeTrustInvalidLimit'],
    },
    {
      when: 'a line that is not there is closed',
      operations: [trust(usdc, '0')],
      answers: ['txFailed', 'changeTrustInvalidLimit'],
    },
    {
      when: 'the reserve is short',
      operations: [Operation.changeTrust({ asset: own, source: poor.publicKey() })],
      signers: [alice, poor],
      answers: ['txFailed', 'changeTrustLowReserve'],
    },
    {
      when: 'an issuer trusts itself',
      operations: [trust(own)],
      source: issuer,
      answers: ['ERROR', 'txFailed', 'changeTrustMalformed'],
    },
  ])
})

describe('an operation this network leaves out', () => {
  refuses([
    {
      when: 'it is one',
      operations: [Operation.inflation({})],
      answers: ['ERROR', 'txFailed', 'opNotSupported'],
    },
    {
      when: 'it comes after others',
      operations: [pay(bob.publicKey(), '1'), Operation.inflation({})],
      answers: ['ERROR', 'txFailed', 'paymentSuccess', 'opNotSupported'],
    },
  ])
})

describe('the operations of a transaction', () => {
  it('count all or not at all, and all of them tell their result', async () => {
    const before = balance(net, bob)
    const operations = [
      pay(bob.publicKey(), '1'),
      pay(stranger.publicKey(), '1'),
      pay(bob.publicKey(), '1'),
    ]
    expect(await outcome(net, submitted({ operations }))).toEqual([
      'txFailed',
      'paymentSuccess',
      'paymentNoDestination',
      'paymentSuccess',
    ])
    expect(balance(net, bob)).toBe(before)
  })

  it('pay the issuer of USDC although nobody holds its key', async () => {
    expect(account(net, USDC_ISSUER)?.balance).toBe(10n * XLM)
  })
})
