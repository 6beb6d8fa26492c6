import { Claimant, Operation, type xdr } from '@stellar/stellar-sdk'
import { describe, expect, it, test } from 'vitest'
import { Refusal } from '../../../../examples/signer-sidecar/policy/refusal.ts'
import { envelopeOf, examined, muxed, sponsor } from './examined.ts'
import {
  begin,
  bumped,
  channel,
  create,
  end,
  mark,
  merge,
  muxedSponsor,
  native,
  negativePayment,
  offer,
  other,
  path,
  pay,
  stranger,
  token,
  withSource,
} from './operations.ts'

describe('an operation that moves XLM or rights of the sponsor', () => {
  test.each<[string, string, xdr.Operation[]]>([
    ['a payment to a stranger', 'payment', [pay(stranger)]],
    ['a payment of tokens to a recipient', 'payment', [pay(other, sponsor, token)]],
    ['a payment to itself', 'payment', [pay(sponsor)]],
    ['a payment of a negative sum', 'payment', [negativePayment]],
    [
      'a strict-receive path payment',
      'operation',
      [Operation.pathPaymentStrictReceive({ ...path, sendMax: '1', destAmount: '1' })],
    ],
    [
      'a strict-send path payment',
      'operation',
      [Operation.pathPaymentStrictSend({ ...path, sendAmount: '1', destMin: '1' })],
    ],
    ['a sell offer', 'operation', [Operation.manageSellOffer({ ...offer, amount: '1' })]],
    ['a buy offer', 'operation', [Operation.manageBuyOffer({ ...offer, buyAmount: '1' })]],
    ['a passive offer', 'operation', [Operation.createPassiveSellOffer({ ...offer, amount: '1' })]],
    [
      'a new signer',
      'operation',
      [Operation.setOptions({ signer: { ed25519PublicKey: stranger, weight: 255 } })],
    ],
    ['a new weight of its key', 'operation', [Operation.setOptions({ masterWeight: 0 })]],
    ['a home domain', 'operation', [Operation.setOptions({ homeDomain: 'thief.example' })]],
    ['a trustline', 'operation', [Operation.changeTrust({ asset: token })]],
    [
      'a right of an issuer',
      'operation',
      [
        Operation.setTrustLineFlags({
          trustor: stranger,
          asset: token,
          flags: { authorized: true },
        }),
      ],
    ],
    [
      'a claimable balance',
      'operation',
      [
        Operation.createClaimableBalance({
          asset: native,
          amount: '1',
          claimants: [new Claimant(stranger)],
        }),
      ],
    ],
    [
      'a claim of a balance',
      'operation',
      [Operation.claimClaimableBalance({ balanceId: '00'.repeat(4) + '11'.repeat(32) })],
    ],
    [
      'a clawback',
      'operation',
      [Operation.clawback({ asset: token, amount: '1', from: stranger })],
    ],
    [
      'a clawback of a balance',
      'operation',
      [Operation.clawbackClaimableBalance({ balanceId: '00'.repeat(4) + '11'.repeat(32) })],
    ],
    [
      'a deposit in a pool',
      'operation',
      [
        Operation.liquidityPoolDeposit({
          liquidityPoolId: '11'.repeat(32),
          maxAmountA: '1',
          maxAmountB: '1',
          minPrice: '1',
          maxPrice: '2',
        }),
      ],
    ],
    [
      'a withdrawal from a pool',
      'operation',
      [
        Operation.liquidityPoolWithdraw({
          liquidityPoolId: '11'.repeat(32),
          amount: '1',
          minAmountA: '1',
          minAmountB: '1',
        }),
      ],
    ],
    ['the inflation', 'operation', [Operation.inflation()]],
    [
      'a jump of the sequence number',
      'operation',
      [Operation.bumpSequence({ bumpTo: '9223372036854775807' })],
    ],
    ['a merge into a stranger', 'merge', [merge(sponsor, stranger)]],
    ['a merge into itself', 'merge', [merge(sponsor, sponsor)]],
    ['a merge of a channel into a stranger', 'merge', [merge(channel, stranger)]],
    ['an account with XLM', 'create_account', [create(stranger, '1')]],
    ['an account whose reserve nobody pays', 'create_account', [create(stranger)]],
    [
      'a sponsored account with XLM',
      'create_account',
      [begin(sponsor, stranger), create(stranger, '1'), end(stranger)],
    ],
    [
      'another account than the sponsored one',
      'create_account',
      [begin(sponsor, stranger), create(channel), end(stranger)],
    ],
    ['another data entry', 'data_entry', [Operation.manageData({ name: 'config', value: 'x' })]],
    [
      'a name that begins like the mark',
      'data_entry',
      [Operation.manageData({ name: 'x402.svc.dev/store2', value: 'x' })],
    ],
    ['a data entry of a stranger', 'operation_source', [mark, withSource(mark, muxed(stranger))]],
    [
      'a revocation of what it pays for',
      'sponsorship',
      [Operation.revokeAccountSponsorship({ account: channel })],
    ],
    ['a sponsorship without an end', 'sponsorship', [begin(sponsor, stranger)]],
    [
      'a sponsorship that the sponsor ends',
      'sponsorship',
      [begin(sponsor, stranger), create(stranger), end(sponsor)],
    ],
    [
      'a sponsored trustline of a stranger',
      'sponsorship',
      [
        begin(sponsor, stranger),
        Operation.changeTrust({ source: stranger, asset: token }),
        end(stranger),
      ],
    ],
    [
      'a stranger whose reserve the sponsor takes over',
      'sponsorship',
      [
        begin(sponsor, stranger),
        Operation.revokeAccountSponsorship({ source: stranger, account: stranger }),
        end(stranger),
      ],
    ],
    [
      'a hand-over to a stranger',
      'sponsorship',
      [
        begin(stranger, sponsor),
        Operation.revokeAccountSponsorship({ source: sponsor, account: channel }),
        end(sponsor),
      ],
    ],
    [
      'a hand-over of a signer',
      'sponsorship',
      [
        begin(other, sponsor),
        Operation.revokeSignerSponsorship({
          source: sponsor,
          account: sponsor,
          signer: { ed25519PublicKey: stranger },
        }),
        end(sponsor),
      ],
    ],
    ['an end alone', 'sponsorship', [mark, end(sponsor)]],
    ['a payment of a stranger', 'operation_source', [pay(sponsor, stranger)]],
    [
      'a payment between two new channels',
      'shape',
      [begin(sponsor, stranger), create(stranger), end(stranger), pay(other)],
    ],
    ['a sweep beside a payment', 'shape', [merge(sponsor, other), pay(other)]],
    ['nineteen merges', 'shape', Array.from({ length: 19 }, () => merge(channel, sponsor))],
    ['two marks', 'shape', [mark, mark]],
    ['no operation', 'shape', []],
    ['a muxed source of an operation', 'muxed_account', [withSource(pay(other), muxedSponsor)]],
  ])('is refused: %s (%s)', (_, code, operations) => {
    expect(examined(envelopeOf(operations))).toMatchObject({ code })
  })

  it('is refused inside a fee bump, too', () => {
    for (const operation of [
      pay(stranger),
      Operation.setOptions({ source: sponsor, masterWeight: 0 }),
    ]) {
      expect(examined(envelopeOf([operation], bumped))).toBeInstanceOf(Refusal)
    }
  })
})
