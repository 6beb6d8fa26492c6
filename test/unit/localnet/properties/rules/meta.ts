/** Ledger meta, applied to a ledger, gives the next one to the byte: fees, changes, refunds and evictions. */
import { xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../../../src/localnet/closing/history.ts'
import { ledgerCloseMeta } from '../../../../../src/localnet/rpc/ledger-close-meta.ts'
import { feeCharged, metaOf } from '../../harness.ts'
import { headerOf, type Rule, type Transition } from '../decoded-ledger.ts'
import { Replay } from '../replay.ts'

export const meta: Rule = {
  name: 'meta replayed over a ledger gives the next one',
  start: () => (transition) => [...chainProblems(transition), ...replayProblems(transition)],
}

function chainProblems({ ledger, previous }: Transition): string[] {
  const [header, before] = [headerOf(ledger), headerOf(previous)]
  const fees = ledger.transactions.reduce((sum, it) => sum + feeCharged(it.resultXdr), 0n)
  const wrong = {
    'the previous hash':
      Buffer.from(header.previousLedgerHash.value).toString('hex') !== previous.hash,
    'the sequence': header.ledgerSeq !== before.ledgerSeq + 1,
    'the close time': header.scpValue.closeTime <= before.scpValue.closeTime,
    'the fee pool': header.feePool !== before.feePool + fees,
  }
  return Object.entries(wrong).flatMap(([what, isWrong]) => (isWrong ? [`${what} is wrong`] : []))
}

function replayProblems({ before, after, ledger }: Transition): string[] {
  const state = new Replay(before.entries)
  state.applyLedger(xdr.LedgerCloseMeta.fromXdr(ledgerCloseMeta(ledger, 4)))
  return [
    ...ledger.transactions.flatMap(problemsOfFailed),
    ...state.problems,
    ...state.differencesTo(after.entries, ledger.sequence),
  ]
}

function problemsOfFailed(transaction: AppliedTransaction): string[] {
  const { operations } = metaOf(transaction)
  const isWrong = !transaction.successful && operations.length > 0
  return isWrong ? [`${transaction.hash} failed and changed something`] : []
}
