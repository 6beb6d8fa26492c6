import { asStroops, formatXlm, type Stroops } from '../../../platform/core/amounts/stroops.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import {
  mergeSponsorEnvelope,
  paySponsorsEnvelope,
} from '../../../stellar/transactions/channel-envelopes.ts'
import { unlockedBalance } from '../minimum-balance.ts'
import { type Payer, paidBy } from '../retire/rescue.ts'
import { type SponsorTransaction, sendForSponsor } from '../sponsor-transaction.ts'
import { SweepFailure } from './sweep-failure.ts'

export interface SweepOptions extends Omit<SponsorTransaction, 'channels' | 'mark' | 'payer'> {
  /** Address of the sponsor that gets it. */
  readonly to: string
  /** Pays the fee when the old sponsor cannot; undefined while its seed is not known. */
  readonly otherPayer?: Payer | undefined
  /** `Merge` where the ledger allows it: an account with other entries, or that sponsors some, only pays. */
  readonly how: 'Merge' | 'Payment'
  /** The sum that the old sponsor keeps to spend when it pays, in stroops. */
  readonly keep: bigint
  /** A smaller payment is not worth its fee, in stroops. */
  readonly least: bigint
}

/** `again`: the network was busy, or the account was used meanwhile; the caller tries again. */
export type SweepOutcome =
  | {
      readonly kind: 'swept'
      readonly hash: string
      readonly amount: Stroops
      /** The fees that the ledger charged the old sponsor: nothing when the other one paid. */
      readonly fee: Stroops
      /** Whether the account itself is gone. */
      readonly isMerged: boolean
    }
  /** The account is gone, or has no more than it is to keep. */
  | { readonly kind: 'nothing'; readonly balance: Stroops }
  | { readonly kind: 'again'; readonly because: string; readonly fee: Stroops }

const transient = new Set([
  'txBadSeq',
  'txInsufficientFee',
  'txTooLate',
  'accountMergeSeqnumTooFar',
  // It was spent since it was read, or an endpoint is behind.
  'paymentUnderfunded',
  // Somebody else with the seed has merged the channel that was the source of the transaction.
  'txNoAccount',
])

/** Another process has merged it into the new sponsor. */
class SponsorGone extends Error {
  override readonly name = 'SponsorGone'
}

/**
 * Sends what a sponsor has to another one, in one transaction. To be called once its settlements have ended, unless `leaseSource` is
 * given: the ledger takes no transaction of an account that pays for a settlement under way. Safe to repeat: what is gone stays gone.
 * Throws `SweepFailure` and `RpcError`.
 */
export async function sweepFunds(options: SweepOptions): Promise<SweepOutcome> {
  const { sponsor, to, rpc, signal, keep, least, inclusionFee } = options
  const accounts = await rpc.accounts([sponsor.address, to], signal)
  const account = accounts.get(sponsor.address)
  if (!account) return { kind: 'nothing', balance: asStroops(0n) }
  if (!accounts.has(to)) {
    throw new SweepFailure(`Sponsor ${to} does not exist on the ledger: send it 2 XLM.`)
  }
  const isMerged = options.how === 'Merge' && canMerge(account)
  // A transaction whose source is a channel has a fee bump.
  const fee = inclusionFee * (options.leaseSource && !isMerged ? 2n : 1n)
  const payment = unlockedBalance(account) - keep - fee
  if (!isMerged && (payment <= 0n || payment < least)) {
    return { kind: 'nothing', balance: account.balance }
  }
  const source = isMerged ? { leaseSource: undefined } : {}
  const paid = options.otherPayer && (await paidBy(options, options.otherPayer, { fee }))
  try {
    const outcome = await sendForSponsor(
      { ...options, channels: [], ...source, ...paid?.by },
      {
        envelope: (terms) =>
          isMerged
            ? mergeSponsorEnvelope(terms, to)
            : paySponsorsEnvelope(terms, { destination: to, amount: asStroops(payment) }),
        transient: new Set([...transient, ...(paid?.transient ?? [])]),
        noSponsor: () => new SponsorGone(),
        refused: (code, balance) =>
          new SweepFailure(
            `Sponsor ${sponsor.address} with ${formatXlm(balance)} could not send it to ${to}: ${code}.`,
          ),
      },
    )
    if (outcome.kind === 'again') return { ...outcome, fee: outcome.feeCharged }
    const amount = isMerged ? account.balance - outcome.feeCharged : payment
    const { hash, feeCharged } = outcome
    return { kind: 'swept', hash, amount: asStroops(amount), fee: feeCharged, isMerged }
  } catch (error) {
    if (!(error instanceof SponsorGone)) throw error
    return { kind: 'nothing', balance: asStroops(0n) }
  }
}

/** Entries besides the account keep it from being merged; so do entries that it sponsors (CAP-33). */
const canMerge = ({ subentries, sponsoring }: AccountState): boolean =>
  subentries === 0 && sponsoring === 0
