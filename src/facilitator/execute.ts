import type { Clock } from '../core/clock.ts'
import { buildSettlement, type SettlementEnvelope } from '../stellar/settlement-envelope.ts'
import type { Store } from '../store/open.ts'
import { type LeaseOutcome, leaseChannel } from '../store/settlements/lease-channel.ts'
import type { LeasedChannel } from '../store/settlements/leased-channel.ts'
import { recordEnvelope } from '../store/settlements/record.ts'
import { type ClaimFence, releaseClaim } from '../store/settlements/release.ts'
import type { Logger } from '../telemetry/logger.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { stopwatch } from '../telemetry/stopwatch.ts'
import type { ExactPayment } from '../x402/payment.ts'
import type { SettleResponse } from '../x402/protocol.ts'
import { type NotSettled, notSettled, subjectOf } from './answers.ts'
import type { Concluder } from './conclude.ts'
import type { Submitted } from './ending.ts'
import type { Prospect } from './examine.ts'
import type { ServedNetwork } from './served-network.ts'
import type { Timings } from './timings.ts'

export interface ExecutionTools {
  readonly store: Store
  readonly timings: Timings
  readonly concluder: Concluder
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Metrics
  readonly signal: AbortSignal
}

/** A payment that was found good, and claimed by this process. */
export interface ClaimedPayment {
  readonly network: ServedNetwork
  readonly payment: ExactPayment
  readonly prospect: Prospect
  readonly fence: ClaimFence
  /** Absent while every channel was in use at the claim. */
  readonly channel: LeasedChannel | undefined
}

type Step<T> = ({ readonly ok: true } & T) | { readonly ok: false; readonly answer: NotSettled }

const refuse = (code: NotSettled['code'], message?: string) =>
  ({ ok: false, answer: { code, ...(message !== undefined && { message }) } }) as const

const claimLost = refuse('settle_exact_stellar_settlement_in_progress')

export type Sent =
  | { readonly kind: 'sent'; readonly submitted: Submitted }
  | { readonly kind: 'refused'; readonly response: SettleResponse }

/**
 * Takes a claimed payment onto the network: lease, sign, record, and only then send. Until the
 * record the claim is given back on any failure, so that a retry is a fresh try; after it the
 * settlement has an end of its own, whatever happens here.
 */
export async function execute(tools: ExecutionTools, claimed: ClaimedPayment): Promise<Sent> {
  const { network, payment, fence } = claimed
  const signed = await beforeRecord(tools, claimed).catch(async (error: unknown) => {
    await giveBack(tools, network, fence)
    throw error
  })
  if (!signed.ok) {
    await giveBack(tools, network, fence)
    const subject = subjectOf(payment.request, payment.payer)
    return { kind: 'refused', response: notSettled(subject, signed.answer) }
  }

  const { submitted, sequenceUsed } = signed
  const { recordedAtLedger: ledger, ...recorded } = submitted.recorded
  const dueInMs = tools.timings.followedForMs
  const isRecorded = await network.stages.run('record', () =>
    recordEnvelope(tools.store.db, { ...fence, ...recorded, sequenceUsed, ledger, dueInMs }),
  )
  if (!isRecorded) {
    const subject = subjectOf(payment.request, payment.payer)
    return { kind: 'refused', response: notSettled(subject, claimLost.answer) }
  }
  return network.stages.run('send', () => send(tools, network, submitted))
}

async function beforeRecord(
  tools: ExecutionTools,
  claimed: ClaimedPayment,
): Promise<Step<{ submitted: Submitted; sequenceUsed: bigint }>> {
  const { stages } = claimed.network
  const leased = await stages.run('lease', () => obtainChannel(tools, claimed))
  if (!leased.ok) return leased
  const { channel, sequence } = leased
  const signed = stages.run('sign', () => sign(tools, claimed, channel, sequence + 1n))
  if (!signed.ok) return signed
  const { envelopeXdr, hash, innerHash, maxTime } = signed.envelope
  const submitted: Submitted = {
    key: claimed.fence.key,
    attempt: claimed.fence.attempt,
    recorded: {
      channel: channel.account,
      envelopeXdr,
      txHash: hash,
      innerHash,
      maxTime: Number(maxTime),
      recordedAtLedger: claimed.prospect.latestLedger,
    },
  }
  return { ok: true, submitted, sequenceUsed: sequence + 1n }
}

async function obtainChannel(
  tools: ExecutionTools,
  claimed: ClaimedPayment,
): Promise<Step<{ channel: LeasedChannel; sequence: bigint }>> {
  const { network, channel } = claimed
  const leased = await timeLease(tools, network, async () =>
    channel ? { kind: 'leased', channel } : waitForChannel(tools, claimed),
  )
  if (leased.kind === 'none_free') return refuse('settle_exact_stellar_channel_unavailable')
  if (leased.kind === 'claim_lost') return claimLost
  const held = leased.channel
  const sequence = held.sequence ?? (await sequenceOnLedger(network, held.account))
  if (sequence === undefined) {
    const message = `channel ${held.account} does not exist on the ledger`
    return refuse('settle_exact_stellar_channel_unavailable', message)
  }
  return { ok: true, channel: held, sequence }
}

async function waitForChannel(
  { store, timings, signal }: ExecutionTools,
  { network, fence }: ClaimedPayment,
): Promise<LeaseOutcome> {
  const { leaseTtlMs, channelWaitMs } = timings
  const lease = async () => {
    const outcome = await leaseChannel(store.db, { ...fence, leaseTtlMs })
    return outcome.kind === 'none_free' ? undefined : outcome
  }
  const leased = await network.channelQueue.wait(lease, channelWaitMs, signal)
  return leased ?? { kind: 'none_free' }
}

async function timeLease(
  { metrics }: ExecutionTools,
  { id: network, tally }: ServedNetwork,
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
    tally.waited(waited * 1_000)
    if (outcome === 'none_free') tally.count('lease_timeout')
  }
}

/**
 * stellar-core takes nothing in that would expire within two expected ledgers (10 s) of its own time,
 * and our reading of that time may be a ledger old. A payment with a shorter timeout than this still
 * ends in time: its authorization expires, which is for the payer to say and for the ledger to keep.
 */
const SHORTEST_VALIDITY_SECONDS = 25

const sequenceOnLedger = async ({ rpc }: ServedNetwork, account: string) =>
  (await rpc.accounts([account])).get(account)?.sequence

function sign(
  { timings, log }: ExecutionTools,
  { network, payment, prospect }: ClaimedPayment,
  channel: LeasedChannel,
  sequence: bigint,
): Step<{ envelope: SettlementEnvelope }> {
  const { policy, sponsor, channels, time } = network
  const now = time.now
  if (now === undefined) return refuse('unexpected_settle_error', 'no ledger was seen yet')
  const asked = Math.max(payment.maxTimeoutSeconds, SHORTEST_VALIDITY_SECONDS)
  const validFor = Math.min(timings.validitySeconds, asked)
  try {
    const envelope = buildSettlement({
      passphrase: policy.passphrase,
      invocation: payment.invocation,
      channel: channels.signer(channel.index),
      sponsor,
      sequence,
      transactionData: prospect.transactionData,
      inclusionFee: prospect.inclusionFee,
      maxTime: BigInt(now + Math.floor(validFor)),
    })
    return { ok: true, envelope }
  } catch (error) {
    log.error({ err: error, channel: channel.account }, 'Could not sign a settlement')
    return refuse('settle_exact_stellar_fee_bump_signing_failed')
  }
}

/**
 * Results that say nothing about the bytes. They may land later, or be past their time; and a
 * sequence number is also spent when these very bytes have landed, through a request that somebody
 * between here and there has repeated.
 */
const undecided = new Set(['txBadSeq', 'txTooLate', 'txTooEarly'])

async function send(
  { concluder, clock, log }: ExecutionTools,
  network: ServedNetwork,
  recorded: Submitted,
): Promise<Sent> {
  const submitted = { ...recorded, sentAtMs: clock.now() }
  try {
    const outcome = await network.rpc.send(submitted.recorded.envelopeXdr)
    const { status, resultCode: because } = outcome
    if (because === 'txBadSeq') network.tally.count('sequence_conflict')
    // Without a result there is no refusal to believe.
    if (status === 'ERROR' && because !== undefined && !undecided.has(because)) {
      const response = await concluder.refuse(network, submitted, because)
      if (response) return { kind: 'refused', response }
    }
    const isTakenIn = status === 'PENDING' || status === 'DUPLICATE'
    return { kind: 'sent', submitted: { ...submitted, isTakenIn } }
  } catch (error) {
    // It may have arrived all the same. Only the ledger can tell, and the follower asks it.
    log.warn({ err: error, hash: submitted.recorded.txHash }, 'Sending had no answer')
  }
  return { kind: 'sent', submitted }
}

/** Never hides the failure that led here; a claim that could not be given back ends by itself. */
async function giveBack(
  { store, log }: ExecutionTools,
  { channelQueue }: ServedNetwork,
  fence: ClaimFence,
): Promise<void> {
  try {
    await releaseClaim(store.db, fence)
    channelQueue.freed()
  } catch (error) {
    log.warn({ err: error, ...fence.key }, 'Could not give a claim back')
  }
}
