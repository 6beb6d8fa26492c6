import { Asset, xdr } from '@stellar/stellar-sdk'
import { type Account, accountFlags } from '../../ledger/account.ts'
import { unmuxed } from '../../ledger/account-id.ts'
import { accountKey } from '../../ledger/keys.ts'
import { maxReceivable } from '../../ledger/reserves.ts'
import { accountExists, requireAccount, storeAccount } from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  removeEntryWithPossibleSponsorship,
  succeeded,
} from '../operation.ts'

const { accountMerge: result } = xdr.OperationResultTr
const outcomes = xdr.AccountMergeResult

/** Moves the whole balance and removes the account; releases its sponsor's reserve (CAP-33). */
export function accountMerge(destination: xdr.MuxedAccount): OperationFrame {
  return {
    threshold: 'high',
    check: ({ source }) =>
      source === unmuxed(destination) ? inner(result(outcomes.accountMergeMalformed())) : undefined,
    apply: (context) => applyMerge(context, destination),
  }
}

function applyMerge(context: ApplyContext, destination: xdr.MuxedAccount): OperationOutcome {
  const { ltx, ledger, source } = context
  const destinationId = unmuxed(destination)
  if (!accountExists(ltx, destinationId)) return failed(result(outcomes.accountMergeNoAccount()))
  const account = requireAccount(ltx, source)
  const obstacle = obstacles.find(({ applies }) => applies(account, context))
  if (obstacle) return failed(result(obstacle.code()))

  for (const { sponsor } of account.signers) {
    removeEntryWithPossibleSponsorship(
      context,
      { reserves: 1, subEntry: true },
      { owner: account, sponsor },
    )
  }
  const receiver = requireAccount(ltx, destinationId)
  const { balance } = account
  if (maxReceivable(receiver) < balance) return failed(result(outcomes.accountMergeDestFull()))
  receiver.balance += balance
  storeAccount(ltx, receiver, ledger.sequence)
  removeEntryWithPossibleSponsorship(
    context,
    { reserves: 2, subEntry: false },
    { owner: account, sponsor: account.sponsor },
  )
  ltx.write(accountKey(source), undefined)
  context.emit(
    context.events.transfer({
      asset: Asset.native(),
      from: context.muxedSource,
      to: destination,
      amount: balance,
      memo: context.transaction.xdr.memo,
    }),
  )
  return succeeded(result(outcomes.accountMergeSuccess(balance)))
}

interface Obstacle {
  readonly applies: (account: Account, context: ApplyContext) => boolean
  readonly code: () => xdr.AccountMergeResult
}

/** In stellar-core's order. */
const obstacles: readonly Obstacle[] = [
  {
    applies: ({ flags }) => (flags & accountFlags.authImmutable) !== 0,
    code: outcomes.accountMergeImmutableSet,
  },
  {
    applies: ({ subEntries, signers }) => subEntries !== signers.length,
    code: outcomes.accountMergeHasSubEntries,
  },
  {
    // A new account of the same key starts with its ledger's first sequence number. No transaction
    // signed for this account, applied or pending in this ledger, may be valid for it (protocols 10, 19).
    applies: ({ id, sequence }, { ledger, highestSequence }) => {
      const first = BigInt(ledger.sequence) << 32n
      return sequence >= first || highestSequence(id) >= first
    },
    code: outcomes.accountMergeSeqnumTooFar,
  },
  {
    applies: ({ id, sponsoring }, { sponsorships }) =>
      sponsoring > 0 || [...sponsorships.values()].includes(id),
    code: outcomes.accountMergeIsSponsor,
  },
]
