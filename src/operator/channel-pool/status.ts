import { type ChannelPoolStatus, MAX_SAMPLES } from '../../api/channel-pool-status.ts'
import type { Frozen } from '../../api/resource.ts'
import { unlockedBalance } from '../../channels/minimum-balance.ts'
import { isoTime } from '../../core/iso-time.ts'
import { decimalXlm } from '../../core/stroops.ts'
import type { PoolResult } from './converge.ts'

type StatusFields = Pick<
  Frozen<ChannelPoolStatus>,
  'summary' | 'channels' | 'sponsor' | 'authority' | 'quarantined' | 'lastTransaction'
>

const MAX_RUNWAY_HOURS = 1_000_000n
const MAX_BECAUSE_LENGTH = 256

/** The fields of a status that one pass decides. Without a new transaction, `before` keeps the last one. */
export function statusOf(
  result: PoolResult,
  before: Frozen<ChannelPoolStatus> | undefined,
  now: number,
): StatusFields {
  const { desired, channels, sponsor, plan } = result
  const quarantined = channels.flatMap(({ index, account, state, quarantinedBecause = '' }) =>
    state === 'quarantined'
      ? [{ index, account, because: quarantinedBecause.slice(0, MAX_BECAUSE_LENGTH) }]
      : [],
  )
  const runwayHours = runwayOf(result)
  const lastTransaction = transactionOf(result, now) ?? before?.lastTransaction
  return {
    summary: { channels: `${plan.ready.length}/${desired}` },
    channels: {
      wanted: desired,
      ready: plan.ready.length,
      inUse: channels.filter(({ isLeased }) => isLeased).length,
      draining: channels.filter(({ state }) => state === 'draining').length,
      quarantined: quarantined.length,
      accounts: accountsAfter(result),
    },
    sponsor: {
      address: sponsor.address,
      balanceXlm: decimalXlm(sponsor.balance),
      ...(runwayHours !== undefined && { runwayHours }),
    },
    authority: { onLedger: hasAuthority(result) },
    ...(quarantined.length > 0 && { quarantined: quarantined.slice(0, MAX_SAMPLES) }),
    ...(lastTransaction && { lastTransaction }),
  }
}

/** Undefined while nothing is spent. Whole hours: a finer number would change with every settlement. */
function runwayOf({ sponsor, spentLastHour }: PoolResult): number | undefined {
  if (spentLastHour <= 0n) return undefined
  const free = unlockedBalance(sponsor)
  const hours = free > 0n ? free / spentLastHour : 0n
  return Number(hours > MAX_RUNWAY_HOURS ? MAX_RUNWAY_HOURS : hours)
}

function transactionOf(
  { applied }: PoolResult,
  now: number,
): StatusFields['lastTransaction'] | undefined {
  if (applied.kind !== 'created' && applied.kind !== 'merged') return undefined
  const { hash, ledger, withAuthority } = applied
  const count = applied.count + (withAuthority ? 1 : 0)
  const kind = applied.kind === 'created' ? 'Create' : 'Merge'
  return { kind, hash, channels: count, ...(ledger !== undefined && { ledger }), at: isoTime(now) }
}

/**
 * Channel accounts on the ledger after this pass; of a pool that is emptied, the settlement authority too, which goes
 * last.
 */
export function accountsAfter({ accounts, authority, desired, applied }: PoolResult): number {
  const size = accounts.size + (desired === 0 && authority ? 1 : 0)
  if (applied.kind === 'created') return size + applied.count
  if (applied.kind !== 'merged') return size
  return size - applied.count - (applied.withAuthority ? 1 : 0)
}

/** Whether the ledger has the authority after this pass. */
function hasAuthority({ authority, applied }: PoolResult): boolean {
  const isInvolved =
    (applied.kind === 'created' || applied.kind === 'merged') && applied.withAuthority
  return isInvolved ? applied.kind === 'created' : authority !== undefined
}
