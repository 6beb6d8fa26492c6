/** The interface of operations (stellar-core's OperationFrame), and helpers that they share. */
import { xdr } from '@stellar/stellar-sdk'
import type { Account } from '../ledger/account.ts'
import type { AccountId } from '../ledger/account-id.ts'
import type { LedgerTxn } from '../ledger/ledger-txn.ts'
import {
  chargeReserve,
  type EntryCost,
  type ReserveProblem,
  releaseReserve,
} from '../ledger/sponsorship.ts'
import { requireAccount, storeAccount } from '../ledger/typed-entries.ts'
import type { LedgerContext } from '../soroban/ledger-context.ts'
import type { EventFactory } from './apply/events.ts'
import type { Transaction } from './envelope.ts'
import type { SorobanContext } from './soroban/soroban-context.ts'

/** The threshold that the operation's source must meet. */
export type ThresholdLevel = 'low' | 'medium' | 'high'

export interface OperationOutcome {
  readonly ok: boolean
  readonly result: xdr.OperationResult
}

export interface CheckContext {
  readonly source: AccountId
  readonly transaction: Transaction
}

export interface ApplyContext extends CheckContext {
  /** The operation's own; rolled back when it fails. */
  readonly ltx: LedgerTxn
  readonly ledger: LedgerContext
  readonly muxedSource: xdr.MuxedAccount
  /** Open sponsorships (CAP-33): sponsor by sponsored account. */
  readonly sponsorships: Map<AccountId, AccountId>
  readonly events: EventFactory
  readonly emit: (event: xdr.ContractEvent) => void
  /** The highest sequence number the ledger's transactions use on an account about to be merged. */
  readonly highestSequence: (account: AccountId) => bigint
  readonly soroban: SorobanContext | undefined
}

/** An operation with its arguments. */
export interface OperationFrame {
  readonly threshold: ThresholdLevel
  /** Checks that need no ledger state; undefined when they pass. */
  check(context: CheckContext): xdr.OperationResult | undefined
  apply(context: ApplyContext): OperationOutcome
}

export const inner = (tr: xdr.OperationResultTr): xdr.OperationResult =>
  xdr.OperationResult.opInner(tr)

export const succeeded = (tr: xdr.OperationResultTr): OperationOutcome => ({
  ok: true,
  result: inner(tr),
})

export const failed = (tr: xdr.OperationResultTr): OperationOutcome => ({
  ok: false,
  result: inner(tr),
})

/** Only `lowReserve` has a code of each operation; the others have common codes. */
export function reserveFailure(
  problem: ReserveProblem,
  lowReserve: () => xdr.OperationResultTr,
): OperationOutcome {
  switch (problem) {
    case 'lowReserve':
      return failed(lowReserve())
    case 'tooManySubentries':
      return { ok: false, result: xdr.OperationResult.opTooManySubentries() }
    case 'tooManySponsoring':
      return { ok: false, result: xdr.OperationResult.opTooManySponsoring() }
  }
}

interface Charged {
  readonly problem?: ReserveProblem
  readonly sponsor: AccountId | undefined
}

/** Charges a new entry to the current sponsor of `owner`, or to `owner`. Stores only the sponsor. */
export function createEntryWithPossibleSponsorship(
  context: ApplyContext,
  cost: EntryCost,
  owner: Account,
): Charged {
  const { ltx, ledger, sponsorships } = context
  const sponsorId = sponsorships.get(owner.id)
  const sponsor = sponsorId && requireAccount(ltx, sponsorId)
  const problem = chargeReserve(cost, owner, sponsor || undefined)
  if (problem) return { problem, sponsor: sponsorId }
  if (sponsor) storeAccount(ltx, sponsor, ledger.sequence)
  return { sponsor: sponsorId }
}

/** Releases the reserve of an entry before its removal. Stores only the sponsor. */
export function removeEntryWithPossibleSponsorship(
  { ltx, ledger }: ApplyContext,
  cost: EntryCost,
  { owner, sponsor: sponsorId }: { owner: Account | undefined; sponsor: AccountId | undefined },
): void {
  const sponsor = sponsorId && requireAccount(ltx, sponsorId)
  releaseReserve(cost, owner, sponsor || undefined)
  if (sponsor) storeAccount(ltx, sponsor, ledger.sequence)
}
