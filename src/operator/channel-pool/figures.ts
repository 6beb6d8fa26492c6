import { type ChannelPoolStatus, MAX_SAMPLES } from '../../api/channel-pool-status.ts'
import type { Frozen } from '../../api/resource.ts'
import { minimumBalance } from '../../channels/minimum-balance.ts'
import { isoTime } from '../../core/iso-time.ts'
import { decimalXlm } from '../../core/stroops.ts'
import type { PoolObservation } from './observation.ts'

type Figures = Pick<
  Frozen<ChannelPoolStatus>,
  'summary' | 'channels' | 'sponsor' | 'quarantined' | 'lastTransaction'
>

const MAX_RUNWAY_HOURS = 1_000_000n
const MAX_BECAUSE = 256

/** The figures of a status. `before` keeps what was not seen anew. */
export function figuresOf(
  seen: PoolObservation,
  before: Frozen<ChannelPoolStatus> | undefined,
  now: number,
): Figures {
  const { wanted, channels, accounts, sponsor, plan } = seen
  const quarantined = channels.flatMap(({ index, account, state, quarantinedBecause = '' }) =>
    state === 'quarantined'
      ? [{ index, account, because: quarantinedBecause.slice(0, MAX_BECAUSE) }]
      : [],
  )
  const runwayHours = runway(seen)
  const lastTransaction = transactionOf(seen, now) ?? before?.lastTransaction
  return {
    summary: { channels: `${plan.ready.length}/${wanted}` },
    channels: {
      wanted,
      ready: plan.ready.length,
      inUse: channels.filter(({ isLeased }) => isLeased).length,
      draining: channels.filter(({ state }) => state === 'draining').length,
      quarantined: quarantined.length,
      accounts: accountsAfter(accounts.size, seen),
    },
    sponsor: {
      address: sponsor.address,
      balanceXlm: decimalXlm(sponsor.balance),
      ...(runwayHours !== undefined && { runwayHours }),
    },
    ...(quarantined.length > 0 && { quarantined: quarantined.slice(0, MAX_SAMPLES) }),
    ...(lastTransaction && { lastTransaction }),
  }
}

/** Absent while nothing is spent. Whole hours, for a figure that moved with every stroop would never rest. */
function runway({ sponsor, spentLastHour }: PoolObservation): number | undefined {
  if (spentLastHour <= 0n) return undefined
  const free = sponsor.balance - minimumBalance(sponsor)
  const hours = free > 0n ? free / spentLastHour : 0n
  return Number(hours > MAX_RUNWAY_HOURS ? MAX_RUNWAY_HOURS : hours)
}

function transactionOf({ carried }: PoolObservation, now: number): Figures['lastTransaction'] {
  if (carried.kind !== 'created' && carried.kind !== 'merged') return undefined
  const { hash, count, ledger } = carried
  const kind = carried.kind === 'created' ? 'Create' : 'Merge'
  return { kind, hash, channels: count, ...(ledger !== undefined && { ledger }), at: isoTime(now) }
}

/** What was seen before the step, and what the step made of it: none may be left out of the count. */
function accountsAfter(seen: number, { carried }: PoolObservation): number {
  if (carried.kind === 'created') return seen + carried.count
  return carried.kind === 'merged' ? seen - carried.count : seen
}
