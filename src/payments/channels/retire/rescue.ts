/**
 * Saves the XLM of a sponsor whose seed others may know: they can spend all that it has, at any moment. So what a transaction frees goes
 * to another sponsor in the same transaction, and that one pays the fee when the leaked one has nothing left.
 */
import { asStroops } from '../../../platform/core/amounts/stroops.ts'
import type { AnySigner } from '../../../stellar/accounts/envelope-signer.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import type {
  ChannelTerms,
  SponsorPayment,
} from '../../../stellar/transactions/channel-envelopes.ts'
import { BASE_RESERVE, unlockedBalance } from '../minimum-balance.ts'
import type { SponsorTransaction } from '../sponsor-transaction.ts'

/** The sponsor that pays, and that gets the saved XLM. */
export interface Payer {
  readonly signer: AnySigner
  /** Leases one of its channels as source: it may have settlements under way. */
  readonly leaseSource: NonNullable<SponsorTransaction['leaseSource']>
}

export interface Rescue extends Payer {
  /** Maximum fees of the leaked sponsor's settlements under way, which it keeps. */
  readonly promised: bigint
}

export interface Paid {
  /** The members of a transaction that say who pays: the sponsor while it can, else the other one while that one can. */
  readonly by: Pick<SponsorTransaction, 'payer' | 'leaseSource'>
  /** Result codes that say what has changed since: others were faster, and the next try finds who can pay now. */
  readonly transient: readonly string[]
}

export async function paidBy(
  options: Pick<SponsorTransaction, 'sponsor' | 'rpc' | 'signal'>,
  { signer, leaseSource }: Payer,
  { fee, promised = 0n }: { readonly fee: bigint; readonly promised?: bigint },
): Promise<Paid> {
  const { sponsor, rpc, signal } = options
  const accounts = await rpc.accounts([sponsor.address, signer.address], signal)
  const spendable = ({ address }: AnySigner): bigint => {
    const account = accounts.get(address)
    return account ? unlockedBalance(account) : 0n
  }
  const ownCan = spendable(sponsor) - promised >= fee
  const otherCan = spendable(signer) >= fee
  return {
    by: !ownCan && otherCan ? { payer: signer, leaseSource } : {},
    transient: ownCan || otherCan ? ['txInsufficientBalance'] : [],
  }
}

/** The sum that the sponsor can pay out in the transaction that merges these channels; undefined when nothing. */
export function freedPayment(
  { channels, mark, payer, inclusionFee }: ChannelTerms,
  sponsor: AccountState,
  { signer, promised }: Rescue,
): SponsorPayment | undefined {
  // The two entries of an account whose reserve it pays, and its own mark.
  const entries = Math.min(channels.length * 2, sponsor.sponsoring) + (mark ? 1 : 0)
  // The payment itself and a fee bump count as operations, too.
  const operations = channels.length + (mark ? 1 : 0) + 2
  const fee = payer ? 0n : inclusionFee * BigInt(operations)
  const amount = unlockedBalance(sponsor) + BigInt(entries) * BASE_RESERVE - promised - fee
  return amount > 0n ? { destination: signer.address, amount: asStroops(amount) } : undefined
}
