import { type ClaimFence, releaseClaim } from '../store/settlements/release.ts'
import type { SettleResponse } from '../x402/protocol.ts'
import { notSettled, subjectOf } from './answers.ts'
import {
  type ClaimedPayment,
  claimLost,
  type StepResult,
  type SubmitDeps,
} from './claimed-payment.ts'
import type { SubmittedSettlement } from './final-result.ts'
import { obtainChannel } from './obtain-channel.ts'
import { refusalSinceClaim } from './payer-pause.ts'
import type { ServedNetwork } from './served-network.ts'
import { signSettlement } from './sign-settlement.ts'

export type SubmitResult =
  | { readonly kind: 'sent'; readonly submitted: SubmittedSettlement }
  | { readonly kind: 'refused'; readonly response: SettleResponse }

/**
 * Leases a channel unless the claim did, signs, records the envelope in the store, and only then sends it.
 * Any failure before the record releases the claim, so that a retry starts from the beginning. After the
 * record this process or another follows the settlement to its final state.
 */
export async function submitPayment(
  deps: SubmitDeps,
  claimed: ClaimedPayment,
): Promise<SubmitResult> {
  const { network, payment, fence } = claimed
  const subject = subjectOf(payment.request, payment.payer)
  const signed = await leaseAndSign(deps, claimed).catch(async (error: unknown) => {
    await release(deps, network, fence)
    throw error
  })
  if (!signed.ok) {
    await release(deps, network, fence)
    return { kind: 'refused', response: notSettled(subject, signed.refusal) }
  }

  const { submitted, sequenceUsed } = signed
  const { recordedAtLedger: ledger, ...recorded } = submitted.recorded
  const dueInMs = deps.timings.followedForMs
  const isRecorded = await network.stages.run('record', () =>
    network.records.write({ ...fence, ...recorded, sequenceUsed, ledger, dueInMs }),
  )
  if (!isRecorded) return { kind: 'refused', response: notSettled(subject, claimLost.refusal) }
  return network.stages.run('send', () => send(deps, network, submitted))
}

async function leaseAndSign(
  deps: SubmitDeps,
  claimed: ClaimedPayment,
): Promise<StepResult<{ submitted: SubmittedSettlement; sequenceUsed: bigint }>> {
  const { stages } = claimed.network
  const obtained = await stages.run('lease', () => obtainChannel(deps, claimed))
  if (!obtained.ok) return obtained
  // While this one waited for its channel, others of the payer may have failed on the ledger.
  const hasWaited = claimed.channel === undefined
  const refusal = hasWaited && (await refusalSinceClaim(deps, claimed.network, claimed.fence.key))
  if (refusal) return { ok: false, refusal }
  const signed = stages.run('sign', () => signSettlement(deps, claimed, obtained))
  if (!signed.ok) return signed
  const { envelopeXdr, hash, innerHash, maxTime } = signed.envelope
  const submitted: SubmittedSettlement = {
    key: claimed.fence.key,
    attempt: claimed.fence.attempt,
    recorded: {
      channel: obtained.channel.account,
      envelopeXdr,
      txHash: hash,
      innerHash,
      maxTime: Number(maxTime),
      recordedAtLedger: claimed.quote.latestLedger,
    },
    maxLedger: signed.envelope.maxLedger,
  }
  return { ok: true, submitted, sequenceUsed: obtained.sequence + 1n }
}

/**
 * Results that do not prove a refusal. The envelope may land later, or be past its max time. `txBadSeq` is
 * also the result when this very envelope has landed already, because a proxy between this process and the
 * endpoint repeated the request.
 */
const undecided = new Set(['txBadSeq', 'txTooLate', 'txTooEarly'])

async function send(
  { follower, clock, log }: SubmitDeps,
  network: ServedNetwork,
  recorded: SubmittedSettlement,
): Promise<SubmitResult> {
  const submitted = { ...recorded, sentAtMs: clock.now() }
  try {
    const outcome = await network.rpc.send(submitted.recorded.envelopeXdr)
    const { status, resultCode } = outcome
    if (resultCode === 'txBadSeq') network.counters.count('sequence_conflict')
    // An error without a result code proves nothing either.
    if (status === 'ERROR' && resultCode !== undefined && !undecided.has(resultCode)) {
      const response = await follower.finishRefused(network, submitted, resultCode)
      if (response) return { kind: 'refused', response }
    }
    const isQueued = status === 'PENDING' || status === 'DUPLICATE'
    return { kind: 'sent', submitted: { ...submitted, isQueued } }
  } catch (error) {
    // An endpoint may have received the envelope all the same; the follower reads the ledger to find out.
    log.warn(
      { err: error, hash: submitted.recorded.txHash },
      'No endpoint answered when an envelope was sent',
    )
  }
  return { kind: 'sent', submitted }
}

/** Never throws, so that the error that led here stays the one reported; the claim expires by itself. */
async function release(
  { store, log }: SubmitDeps,
  { channelQueue }: ServedNetwork,
  fence: ClaimFence,
): Promise<void> {
  try {
    await releaseClaim(store.db, fence)
    channelQueue.freed()
    store.notifyFreedChannels(fence.key.network)
  } catch (error) {
    log.warn({ err: error, ...fence.key }, 'Could not release a claim')
  }
}
