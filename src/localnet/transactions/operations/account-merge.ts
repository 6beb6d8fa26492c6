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

/** Moves the whole balance and removes the account; a sponsored one gives its reserve back (CAP-33). */
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
  const heirId = unmuxed(destination)
  if (!accountExists(ltx, heirId)) return failed(result(outcomes.accountMergeNoAccount()))
  const account = requireAccount(ltx, source)
  const obstacle = obstacles.find(({ stands }) => stands(account, context))
  if (obstacle) return failed(result(obstacle.says()))

  for (const { sponsor } of account.signers) {
    removeEntryWithPossibleSponsorship(
      context,
      { reserves: 1, subEntry: true },
      { owner: account, sponsor },
    )
  }
  const heir = requireAccount(ltx, heirId)
  const { balance } = account
  if (maxReceivable(heir) < balance) return failed(result(outcomes.accountMergeDestFull()))
  heir.balance += balance
  storeAccount(ltx, heir, ledger.sequence)
  removeEntryWithPossibleSponsorship(
    context,
    { reserves: 2, subEntry: false },
    { owner: account, sponsor: account.sponsor },
  )
  ltx.write(accountKey(source), undefined)
  context.emit(
    context.events.movement({
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
  readonly stands: (account: Account, context: ApplyContext) => boolean
  readonly says: () => xdr.AccountMergeResult
}

/** In stellar-core's order. */
const obstacles: readonly Obstacle[] = [
  {
    stands: ({ flags }) => (flags & accountFlags.authImmutable) !== 0,
    says: outcomes.accountMergeImmutableSet,
  },
  {
    stands: ({ subEntries, signers }) => subEntries !== signers.length,
    says: outcomes.accountMergeHasSubEntries,
  },
  {
    // A later account of the same key starts at its ledger's first number: nothing signed for this
    // one, whether applied or still to be applied in this ledger, may fit that one (protocols 10, 19).
    stands: ({ id, sequence }, { ledger, highestSequence }) => {
      const first = BigInt(ledger.sequence) << 32n
      return sequence >= first || highestSequence(id) >= first
    },
    says: outcomes.accountMergeSeqnumTooFar,
  },
  {
    stands: ({ id, sponsoring }, { sponsorships }) =>
      sponsoring > 0 || [...sponsorships.values()].includes(id),
    says: outcomes.accountMergeIsSponsor,
  },
]
