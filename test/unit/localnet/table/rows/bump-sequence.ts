import type { Keypair } from '@stellar/stellar-sdk'
import { account } from '../../harness.ts'
import { alice, bob, dave, MAX_INT64 } from '../accounts.ts'
import { bumpTo, mediumThreshold2 } from '../operations.ts'
import { raw } from '../raw-operations.ts'
import { rejected, rows, succeeds } from '../row.ts'
import { type Sending, sending, transactionOf } from '../transaction.ts'

/** Bumps to so much more than the number in the ledger. */
const bumpBy = (distance: bigint, source?: Keypair): Sending =>
  sending({ operations: [bumpTo(0n, source)] }, (net) => {
    const sequence = account(net, source ?? alice)?.sequence ?? 0n
    return transactionOf(net, { operations: [bumpTo(sequence + distance, source)] })
  })

/** stellar-core, BumpSequenceOpFrame. */
export const bumpSequenceRows = rows({
  'CAP-1': [
    succeeds('the number is ahead', bumpBy(1_001n), 'alice sequence +1000'),
    succeeds('the number has passed', bumpTo(5n)),
    succeeds('the number is zero', bumpTo(0n)),
    succeeds('another account is the source', bumpBy(50n, bob), 'bob sequence +50'),
  ],
  'BumpSequenceOpFrame::doCheckValid': [
    rejected('BadSeq', 'the number is negative', raw.bumpSequence(-1n)),
  ],
  'TransactionFrame::isBadSeq': rejected(
    'txBadSeq',
    'the source has used its last number',
    { operations: [bumpTo(5n)], source: dave, sequenceOffset: -1n },
    { ledger: { dave: { sequence: MAX_INT64 } } },
  ),
  'BumpSequenceOpFrame::getThresholdLevel': [
    succeeds('the low threshold is met, the medium one is not', bumpTo(5n), {
      given: mediumThreshold2,
    }),
  ],
})
