import { stopwatch } from '../../../platform/telemetry/traces/stopwatch.ts'
import type { LeaseOutcome } from '../../store/settlements/claim/lease-channels.ts'
import type { LeasedChannel } from '../../store/settlements/claim/leased-channel.ts'
import {
  type ClaimedPayment,
  claimLost,
  refusedStep,
  type StepResult,
  type SubmitDeps,
} from '../claimed-payment.ts'
import type { ServedNetwork } from '../network/served-network.ts'

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
    claimed.channel
      ? { kind: 'leased', channel: claimed.channel }
      : network.channelQueue.wait({ ...fence, payTo: payment.payTo }),
  )
  if (leased.kind === 'none_free') return refusedStep('settle_exact_stellar_channel_unavailable')
  if (leased.kind === 'claim_lost') return claimLost
  const { channel } = leased
  const sequence = channel.sequence ?? (await sequenceOnLedger(network, channel.account))
  if (sequence === undefined) {
    const message = `channel ${channel.account} does not exist on the ledger`
    return refusedStep('settle_exact_stellar_channel_unavailable', message)
  }
  return { ok: true, channel, sequence }
}

async function timeLease(
  { metrics }: SubmitDeps,
  { id: network, counters }: ServedNetwork,
  lease: () => Promise<LeaseOutcome>,
): Promise<LeaseOutcome> {
  const seconds = stopwatch()
  let outcome: LeaseOutcome['kind'] | 'error' = 'error'
  try {
    const leased = await lease()
    outcome = leased.kind
    return leased
  } finally {
    const waited = seconds()
    metrics.leaseWait.observe({ network, outcome }, waited)
    counters.leaseWaited(waited * 1_000)
    if (outcome === 'none_free') counters.count('lease_timeout')
  }
}

const sequenceOnLedger = async ({ rpc }: ServedNetwork, account: string) =>
  (await rpc.accounts([account])).get(account)?.sequence
