import { xdr } from '@stellar/stellar-sdk'
import { requireAccount, storeAccount } from '../../ledger/typed-entries.ts'
import { inner, type OperationFrame, succeeded } from '../operation.ts'

const { bumpSequence: result } = xdr.OperationResultTr
const outcomes = xdr.BumpSequenceResult

/** Raises the sequence number; succeeds without a change for a lower one (CAP-1). */
export const bumpSequence = ({ bumpTo }: xdr.BumpSequenceOp): OperationFrame => ({
  threshold: 'low',
  check: () => (bumpTo < 0n ? inner(result(outcomes.bumpSequenceBadSeq())) : undefined),
  apply: ({ ltx, ledger, source }) => {
    const account = requireAccount(ltx, source)
    if (bumpTo > account.sequence) account.sequence = bumpTo
    // In both cases the minimum age and gap count from now (CAP-21).
    account.sequenceLedger = ledger.sequence
    account.sequenceTime = BigInt(ledger.closeTime)
    storeAccount(ltx, account, ledger.sequence)
    return succeeded(result(outcomes.bumpSequenceSuccess()))
  },
})
