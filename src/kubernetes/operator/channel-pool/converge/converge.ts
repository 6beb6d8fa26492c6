import { messageOf } from '../../../../diagnosis/problems/problem.ts'
import { missingSponsor } from '../../../../diagnosis/problems/sponsor.ts'
import { payerOf } from '../../../../payments/channels/converge/access.ts'
import type { Applied } from '../../../../payments/channels/converge/apply.ts'
import {
  converge as convergeSponsor,
  type Pass,
} from '../../../../payments/channels/converge/converge.ts'
import { ProvisionFailure } from '../../../../payments/channels/create/create-channels.ts'
import { RetireFailure } from '../../../../payments/channels/retire/merge-channels.ts'
import { readHourStats } from '../../../../payments/store/settlements/hour-stats.ts'
import {
  asStroops,
  type Stroops,
  stroopsFromLumens,
} from '../../../../platform/core/amounts/stroops.ts'
import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { AccountState } from '../../../../stellar/rpc/rpc.ts'
import { MAX_CHANNELS } from '../../../crd/channel-pool/spec.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { PoolUser } from '../../references/pool-users.ts'
import type { Leadership } from '../../store-access/leadership.ts'
import { PoolBlocked } from '../connect/blockers.ts'
import type { Connected } from '../connect/connect.ts'
import type { PoolBackoff } from './backoff.ts'
import { requireOwnMark, type TakeOver } from './mark.ts'

/** The observations, plans and results of one pass; conditions and status are computed from it. */
export interface PoolResult extends Pass {
  readonly sponsor: AccountState
  /** Fees of the sponsor's settlements of the last hour, all replicas together. */
  readonly spentLastHour: Stroops
  /** Channels the pool should have. */
  readonly desired: number
  /** The spec's `minSponsorBalanceXlm`. */
  readonly minBalance: Stroops
  /** The Facilitators that name the pool. */
  readonly users: readonly PoolUser[]
  readonly source: Connected['source']
  readonly storeId: string
  readonly unknownMigration: string | undefined
}

export interface ConvergeOptions {
  readonly uid: string
  readonly users: readonly PoolUser[]
  readonly takeOver: TakeOver
  readonly backoff: PoolBackoff
  readonly spec: ChannelPool['spec']
  readonly desired: number
  readonly connected: Connected
  readonly leadership: Leadership
  readonly clock: Clock
  readonly signal: AbortSignal
  /** The sponsor that gets what merges free, and pays when the other one cannot: its seed may be known to others. */
  readonly rescuer?: Connected | undefined
}

/** The ledger has no account of the sponsor. Of one that should have no channels the store no longer has any, but for those in use. */
export class SponsorMissing extends PoolBlocked {
  constructor({ sponsor }: Connected) {
    super('SponsorMissing', messageOf(missingSponsor(sponsor)))
  }
}

/**
 * One pass of the sponsor's channels, with what the status needs besides. A transaction that the network refuses is a sponsor that cannot
 * pay: the computation of its costs was wrong, or the sponsor was used. Throws `PoolBlocked`, and what the network and the store throw.
 */
export async function converge(options: ConvergeOptions): Promise<PoolResult> {
  const { spec, desired, connected, users, takeOver, backoff, uid, clock, signal, rescuer } =
    options
  const { network, sponsor: address, keys, source, storeId, unknownMigration, store } = connected
  const minBalance = stroopsFromLumens(spec.minSponsorBalanceXlm)
  const pass = await convergeSponsor({
    ...connected,
    desired,
    searchUpTo: MAX_CHANNELS,
    authorities: [keys.authority(network)],
    payer: rescuer && payerOf({ ...rescuer, clock, signal }),
    inclusionFee: asStroops(BigInt(spec.fees.inclusion.floorStroops)),
    floor: minBalance,
    clock,
    signal,
    tenure: options.leadership,
    check: ({ sponsor, mark }) => {
      if (!sponsor && desired > 0) throw new SponsorMissing(connected)
      requireOwnMark({ mark }, connected, takeOver)
    },
    noSponsor: () => new SponsorMissing(connected),
    heldBack: (sponsor) => backoff.heldBack(uid, sponsor, clock.now()),
    refused: (error, sponsor) => {
      if (!(error instanceof ProvisionFailure || error instanceof RetireFailure)) throw error
      backoff.noteRefused(uid, sponsor, error.message, clock.now())
      return error.message
    },
  })
  const { sponsor } = pass
  if (!sponsor) throw new SponsorMissing(connected)
  const { committed: spentLastHour } = await readHourStats(store.db, network, address)
  return {
    ...pass,
    sponsor,
    desired,
    minBalance,
    users,
    source,
    storeId,
    unknownMigration,
    spentLastHour,
  }
}

const RETRY_UNFUNDED_MS = 30_000

/**
 * Milliseconds until the next pass; undefined when only a change of a watched object starts one.
 * @param shortMs for a sponsor that cannot pay
 */
export function nextPassMs(
  { applied, plan }: PoolResult,
  { shortMs, isFunded }: { readonly shortMs: number | undefined; readonly isFunded: boolean },
): number | undefined {
  const after: Record<Applied['kind'], number | undefined> = {
    created: 0,
    merged: 0,
    storeChanged: 100,
    notSent: 1_000,
    short: shortMs,
    unchanged: plan.busy.length > 0 ? 3_000 : undefined,
  }
  return after[applied.kind] ?? (isFunded ? undefined : RETRY_UNFUNDED_MS)
}

/** Whether accounts of an earlier pool of this sponsor are being taken over. */
export const isAdopting = ({ plan, channels }: PoolResult): boolean => {
  const known = new Set(channels.map(({ index }) => index))
  return (
    plan.unclaimed.length > 0 ||
    plan.adopt.length > 0 ||
    plan.activate.some((index) => !known.has(index))
  )
}

/** Whether the pool differs from its desired state. */
export const isConverging = ({ plan, applied }: PoolResult): boolean =>
  applied.kind !== 'unchanged' || plan.busy.length > 0
