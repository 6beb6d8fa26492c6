import { passphrases } from '../../../platform/core/caip2.ts'
import { readChargedFees } from '../../store/settlements/charged-fees.ts'
import { whyNotMerged } from './facts.ts'
import { type BalanceAt, balanceAt, type Movements, movementsBetween } from './movements.ts'
import type { RotationOptions } from './options.ts'
import type { RotationView } from './view.ts'

/** The result of a rotation, in this process. Amounts in stroops. */
export interface Rotated {
  readonly from: string
  readonly to: string
  /** Channels of the new sponsor that this process created. */
  readonly created: number
  /** Accounts of the old sponsor that it merged. */
  readonly merged: number
  /** Accounts that the ledger lost although this process did not merge them: an earlier run has, or somebody else. */
  readonly gone: number
  /** The sum that the new sponsor got from the old one. */
  readonly swept: bigint
  /** The fees that the ledger charged the old sponsor for the transactions of this process. */
  readonly fees: bigint
  /** The sum that is left in the old sponsor; undefined when its account has ended. */
  readonly left: bigint | undefined
  /** The sum that came to the old sponsor in that time; undefined when no endpoint told all its movements. */
  readonly received: bigint | undefined
  /** XLM that left the old sponsor in that time through nothing of this service; without `received` the least of it. */
  readonly lost: bigint
  /** The settlement authority of the old sponsor, when it stays. */
  readonly keptAuthority: string | undefined
  /** Why the account of the old sponsor did not end although it was to. */
  readonly notMerged: string | undefined
}

/** The sums that this process has made itself. */
interface Sums {
  readonly merged: number
  readonly swept: bigint
  readonly fees: bigint
}

interface Seen {
  /** The views before and after everything. */
  readonly first: RotationView
  readonly last: RotationView
  /** The balance of the old sponsor, before anything was sent. */
  readonly start: BalanceAt
}

export async function reportOn(
  options: RotationOptions,
  { first, last, start }: Seen,
  sums: Sums,
): Promise<Omit<Rotated, 'keptAuthority'>> {
  const { merged, fees } = sums
  const left = last.from.account?.balance
  const settlements = await feesSince(options, first)
  const moved = await movementsSince(options, first, start)
  const swept = moved?.swept ?? sums.swept
  const spent = moved
    ? moved.taken + moved.fees - fees - settlements
    : start.balance - (left ?? 0n) - swept - fees - settlements
  const gone = first.from.stored.filter(
    ({ index, state }) => state !== 'retired' && !first.from.onLedger.has(index),
  ).length
  return {
    from: first.from.address,
    to: first.to.address,
    created: last.to.onLedger.size - first.to.onLedger.size,
    merged,
    gone: gone + Math.max(0, accountsOf(first) - merged - accountsOf(last)),
    swept,
    fees,
    left,
    received: moved?.received,
    lost: spent > 0n ? spent : 0n,
    notMerged: options.sweep === 'merge' ? whyNotMerged(last.from) : undefined,
  }
}

/** An endpoint that answers with balances may answer a moment later with their events. */
const TRIES = 10
const RETRY_PAUSE_MS = 500

async function movementsSince(
  { network, rpc, clock, signal }: RotationOptions,
  { from, to }: RotationView,
  start: BalanceAt,
): Promise<Movements | undefined> {
  for (let tries = 1; ; tries += 1) {
    const end = await balanceAt(rpc, from.address, signal)
    const between = {
      from: from.address,
      to: to.address,
      passphrase: passphrases[network],
      start,
      end,
    }
    const moved = await movementsBetween(rpc, between, signal)
    if (moved || tries === TRIES) return moved
    await clock.sleep(RETRY_PAUSE_MS, signal)
  }
}

const accountsOf = ({ from }: RotationView): number =>
  from.onLedger.size + (from.authority.isOnLedger ? 1 : 0)

/** The fees that the ledger has charged the old sponsor for settlements since. */
const feesSince = (
  { network, store, clock }: RotationOptions,
  { from, ledger, readAt }: RotationView,
) =>
  readChargedFees(store.db, {
    network,
    sponsor: from.address,
    afterLedger: ledger,
    withinMs: clock.now() - readAt,
  })
