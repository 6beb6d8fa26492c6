import { Operation } from '@stellar/stellar-sdk'
import { account } from '../../harness.ts'
import { addressOf, alice, bob, dave, MAX_INT64 } from '../people.ts'
import type { Row } from '../row.ts'
import { options, raw } from '../words.ts'
import { transactionOf } from '../world.ts'

/** stellar-core, BumpSequenceOpFrame. */
export const bumpSequenceRows: readonly Row[] = [
  {
    rule: 'CAP-1: the number moves to where it is told',
    when: 'a number ahead is told',
    send: (net) => {
      const ahead = (account(net, alice)?.sequence ?? 0n) + 1n + 1_000n
      return transactionOf(net, { operations: [bumpTo(ahead)] })
    },
    fee: 100n,
    codes: 'txSuccess bumpSequenceSuccess',
    changes: { 'alice sequence': 1_000n },
  },
  {
    rule: 'CAP-1: a number that has passed is no failure',
    when: 'a number behind is told',
    send: { operations: [bumpTo(5n)] },
    codes: 'txSuccess bumpSequenceSuccess',
  },
  {
    rule: 'CAP-1: zero is a number',
    when: 'zero is told',
    send: { operations: [bumpTo(0n)] },
    codes: 'txSuccess bumpSequenceSuccess',
  },
  {
    rule: 'BumpSequenceOpFrame::doCheckValid: no number is negative',
    when: 'a number below zero is told',
    send: { operations: [raw.bumpSequence(-1n)] },
    codes: 'ERROR txFailed bumpSequenceBadSeq',
  },
  {
    rule: 'CAP-1: the number of somebody else, with their signature',
    when: 'it is about another account',
    send: (net) => {
      const ahead = (account(net, bob)?.sequence ?? 0n) + 50n
      return transactionOf(net, { operations: [bumpTo(ahead, bob)], signers: [alice, bob] })
    },
    fee: 100n,
    codes: 'txSuccess bumpSequenceSuccess',
    changes: { 'bob sequence': 50n },
  },
  {
    rule: 'TransactionFrame::isBadSeq: nothing comes after the last number',
    when: 'the last number is used up',
    doctored: [{ who: dave, sequence: MAX_INT64 }],
    send: { operations: [bumpTo(5n)], source: dave, sequenceOffset: -1n },
    codes: 'ERROR txBadSeq',
  },
  {
    rule: 'BumpSequenceOpFrame::getThresholdLevel: low',
    when: 'the low threshold is met and the medium is not',
    given: [{ operations: [options({ medThreshold: 2, highThreshold: 2 })] }],
    send: { operations: [bumpTo(5n)] },
    codes: 'txSuccess bumpSequenceSuccess',
  },
]

function bumpTo(to: bigint, source?: typeof alice) {
  return Operation.bumpSequence({
    bumpTo: to.toString(),
    ...(source && { source: addressOf(source) }),
  })
}
