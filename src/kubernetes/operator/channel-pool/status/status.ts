import { decimalXlm, roundedXlm } from '../../../../platform/core/amounts/stroops.ts'
import { isoTime } from '../../../../platform/core/text/iso-time.ts'
import { type ChannelPoolStatus, MAX_SAMPLES } from '../../../crd/channel-pool/status.ts'
import type { Frozen } from '../../../crd/resource.ts'
import type { PoolUser } from '../../references/pool-users.ts'
import type { PoolResult } from '../converge/converge.ts'
import { spendable } from './conditions.ts'

type StatusFields = Pick<
  Frozen<ChannelPoolStatus>,
  | 'summary'
  | 'channels'
  | 'sponsor'
  | 'authority'
  | 'quarantined'
  | 'usedBy'
  | 'replicas'
  | 'storeId'
  | 'lastTransaction'
>

const MAX_RUNWAY_HOURS = 1_000_000n
const MAX_BECAUSE_LENGTH = 256

/** The fields of a status that one pass decides. Without a new transaction, `before` keeps the last one. */
export function statusOf(
  result: PoolResult,
  before: Frozen<ChannelPoolStatus> | undefined,
  now: number,
): StatusFields {
  const { desired, channels, sponsor, plan, users, storeId } = result
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
      balanceXlm: decimalXlm(roundedXlm(sponsor.balance)),
      spendableXlm: decimalXlm(roundedXlm(spendable(result))),
      ...(runwayHours !== undefined && { runwayHours }),
    },
    authority: { onLedger: hasAuthority(result) },
    ...(users.length > 0 && usedBy(users)),
    storeId,
    ...(quarantined.length > 0 && { quarantined: quarantined.slice(0, MAX_SAMPLES) }),
    ...(lastTransaction && { lastTransaction }),
  }
}

const usedBy = (users: readonly PoolUser[]) => ({
  usedBy: users.slice(0, MAX_SAMPLES).map(({ name }) => name),
  replicas: users.reduce((sum, { replicas }) => sum + replicas, 0),
})

/** Undefined while nothing is spent. Whole hours: a finer number would change with every settlement. */
function runwayOf(result: PoolResult): number | undefined {
  const { spentLastHour } = result
  if (spentLastHour <= 0n) return undefined
  const free = spendable(result)
  const hours = free > 0n ? free / spentLastHour : 0n
  return Number(hours > MAX_RUNWAY_HOURS ? MAX_RUNWAY_HOURS : hours)
}

function transactionOf(
  { applied }: PoolResult,
  now: number,
): StatusFields['lastTransaction'] | undefined {
  if (applied.kind !== 'created' && applied.kind !== 'merged') return undefined
  const { hash, ledger } = applied
  const count = applied.count + applied.authorities
  const kind = applied.kind === 'created' ? 'Create' : 'Merge'
  return { kind, hash, channels: count, ...(ledger !== undefined && { ledger }), at: isoTime(now) }
}

/**
 * Channel accounts on the ledger after this pass; of a pool that is emptied, the settlement authority too, which goes
 * last.
 */
export function accountsAfter(result: PoolResult): number {
  const { accounts, desired, applied } = result
  const size = accounts.size + (desired === 0 ? authoritiesOf(result) : 0)
  if (applied.kind === 'created') return size + applied.count
  if (applied.kind !== 'merged') return size
  return size - applied.count - applied.authorities
}

/** Settlement authorities on the ledger when the pass began. */
export const authoritiesOf = ({ authorities }: Pick<PoolResult, 'authorities'>): number =>
  authorities.filter(({ account }) => account).length

/** Whether the ledger has the authority after this pass. */
function hasAuthority(result: PoolResult): boolean {
  const { applied } = result
  const isInvolved =
    (applied.kind === 'created' || applied.kind === 'merged') && applied.authorities > 0
  return isInvolved ? applied.kind === 'created' : authoritiesOf(result) > 0
}
