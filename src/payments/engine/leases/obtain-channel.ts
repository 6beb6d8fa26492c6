import { stopwatch } from '../../../platform/telemetry/traces/stopwatch.ts'
import type { LeasedChannel } from '../../store/settlements/claim/leased-channel.ts'
import { readPause } from '../../store/settlements/look-up.ts'
import { countLimit } from '../answers/refuse-at-limit.ts'
import type { NotSettled } from '../answers/settle-answer.ts'
import type { Moments } from '../limits/limit.ts'
import { limitAt, refusalAt, requireRefusalAt } from '../limits/limits.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import {
  type ClaimedPayment,
  claimLost,
  type StepResult,
  type SubmitDeps,
} from '../send/claimed-payment.ts'
import type { WaitOutcome } from './channel-queue.ts'

/** A leased channel and the sequence number of its account. */
export interface ChannelInUse {
  readonly channel: LeasedChannel
  readonly sequence: bigint
}

/** Leases a channel, if the claim has not done so, and reads its sequence number if the store lacks it. */
export async function obtainChannel(
  deps: SubmitDeps,
  claimed: ClaimedPayment,
): Promise<StepResult<ChannelInUse>> {
  const { network, payment, fence } = claimed
  const leased = await timeLease(deps, network, async () =>
    claimed.channel && !mustWait(claimed)
      ? { kind: 'leased', channel: claimed.channel }
      : network.channelQueue.wait({ ...fence, payTo: payment.payTo }),
  )
  if (leased.kind === 'claim_lost') return claimLost
  if (leased.kind === 'none_free') return unobtained(deps, claimed, 'late')
  const { channel } = leased
  const sequence = channel.sequence ?? (await sequenceOnLedger(network, channel.account))
  if (sequence === undefined) return unobtained(deps, claimed, { missing: channel.account })
  return { ok: true, channel, sequence }
}

const mustWait = ({ channel, payment: { payer } }: ClaimedPayment): boolean =>
  limitAt('lease', { payer, channel: channel ? 'leased' : 'none free' }) !== undefined

function unobtained(
  { metrics }: SubmitDeps,
  claimed: ClaimedPayment,
  channel: Moments['lease']['channel'],
) {
  const refusal = requireRefusalAt('lease', { payer: claimed.payment.payer, channel })
  return { ok: false, refusal: countLimit(metrics, claimed, refusal) } as const
}

/** Why a payment must not be sent although it was claimed, after it has waited for its channel; undefined when it may go on. */
export async function refusalAfterWait(
  { store, metrics }: Pick<SubmitDeps, 'store' | 'metrics'>,
  claimed: ClaimedPayment,
): Promise<NotSettled | undefined> {
  const { network, payment, fence } = claimed
  const { latestLedger = 0 } = network.time
  const { expirationLedger } = payment.authorization
  const waited = { latestLedger, expirationLedger }
  const facts = { payer: payment.payer, channel: 'leased', waited } as const
  const expired = refusalAt('lease', facts)
  if (expired) return countLimit(metrics, claimed, expired)
  const { pauseOf, paused } = network.payers
  const pause = pauseOf(payment.payer)
  if (!pause) return undefined
  // Meanwhile others of the payer may have failed on the ledger.
  const pausedForMs = await readPause(store.db, fence.key, pause)
  paused.note(payment.payer, pausedForMs)
  const refusal = refusalAt('lease', { ...facts, pausedForMs })
  return refusal && countLimit(metrics, claimed, refusal)
}

async function timeLease(
  { metrics }: SubmitDeps,
  { id: network, counters }: ServedNetwork,
  lease: () => Promise<WaitOutcome>,
): Promise<WaitOutcome> {
  const seconds = stopwatch()
  let outcome: WaitOutcome['kind'] | 'error' = 'error'
  try {
    const leased = await lease()
    outcome = leased.kind
    return leased
  } finally {
    const waited = seconds()
    metrics.leaseWait.observe({ network, outcome }, waited)
    counters.leaseWaited(waited * 1_000)
  }
}

const sequenceOnLedger = async ({ rpc }: ServedNetwork, account: string) =>
  (await rpc.accounts([account])).get(account)?.sequence
