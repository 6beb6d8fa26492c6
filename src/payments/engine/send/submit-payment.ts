import type { SendOutcome } from '../../../stellar/rpc/rpc.ts'
import type { Quote } from '../../checks/check-simulation.ts'
import { declarationOf } from '../../protocol/declaration.ts'
import type { SettleResponse } from '../../protocol/protocol.ts'
import { releaseClaim } from '../../store/settlements/claim/release.ts'
import { notSettled, subjectOf } from '../answers/settle-answer.ts'
import type { SubmittedSettlement } from '../follow/final-result.ts'
import { obtainChannel, refusalAfterWait } from '../leases/obtain-channel.ts'
import { refusalAt } from '../limits/limits.ts'
import { bidAgain } from './bid-again.ts'
import {
  type ClaimedPayment,
  claimLost,
  factsOf,
  type StepResult,
  type SubmitDeps,
} from './claimed-payment.ts'
import { refusalOf } from './send-refusals.ts'
import { signSettlement } from './sign-settlement.ts'

export type SubmitResult =
  | { readonly kind: 'sent'; readonly submitted: SubmittedSettlement }
  | { readonly kind: 'refused'; readonly response: SettleResponse }
  /** The network asks for a higher fee. The attempt has ended as refused: the authorization can be claimed again. */
  | { readonly kind: 'outbid'; readonly higherBid: Quote }

/**
 * Leases a channel unless the claim did, signs, records the envelope in the store, and only then sends it.
 * Any failure before the record releases the claim, so that a retry starts from the beginning. After the
 * record this process or another follows the settlement to its final state.
 */
export async function submitPayment(
  deps: SubmitDeps,
  claimed: ClaimedPayment,
): Promise<SubmitResult> {
  const { network, payment } = claimed
  const subject = subjectOf(payment.request, payment.payer)
  const signed = await leaseAndSign(deps, claimed).catch(async (error: unknown) => {
    await release(deps, claimed)
    throw error
  })
  if (!signed.ok) {
    await release(deps, claimed)
    return { kind: 'refused', response: notSettled(subject, signed.refusal) }
  }

  const { submitted, sequenceUsed } = signed
  const { recordedAtLedger: ledger, ...recorded } = submitted.recorded
  const dueInMs = deps.timings.followedForMs
  const declaration = deps.isCataloging ? declarationOf(payment.request) : undefined
  const isRecorded = await network.stages.run('record', () =>
    network.records.write({
      ...claimed.fence,
      ...recorded,
      sequenceUsed,
      ledger,
      dueInMs,
      declaration,
    }),
  )
  if (!isRecorded) return { kind: 'refused', response: notSettled(subject, claimLost.refusal) }
  return network.stages.run('send', () => send(deps, claimed, submitted))
}

async function leaseAndSign(
  deps: SubmitDeps,
  claimed: ClaimedPayment,
): Promise<StepResult<{ submitted: SubmittedSettlement; sequenceUsed: bigint }>> {
  const { stages } = claimed.network
  const obtained = await stages.run('lease', () => obtainChannel(deps, claimed))
  if (!obtained.ok) return obtained
  const hasWaited = claimed.channel === undefined
  const refusal = hasWaited && (await refusalAfterWait(deps, claimed))
  if (refusal) return { ok: false, refusal }
  const signed = await stages.run('sign', () => signSettlement(deps, claimed, obtained))
  if (!signed.ok) return signed
  const { envelopeXdr, hash, innerHash, maxTime } = signed.envelope
  const submitted: SubmittedSettlement = {
    key: claimed.fence.key,
    attempt: claimed.fence.attempt,
    facts: factsOf(claimed.payment),
    metering: claimed.metering,
    fingerprint: claimed.fingerprint,
    sponsor: claimed.network.sponsor.address,
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

async function send(
  deps: SubmitDeps,
  claimed: ClaimedPayment,
  recorded: SubmittedSettlement,
): Promise<SubmitResult> {
  const { network } = claimed
  const submitted = { ...recorded, sentAtMs: deps.clock.now() }
  const sent = { kind: 'sent', submitted } as const
  let outcome: SendOutcome
  try {
    outcome = await network.rpc.send(submitted.recorded.envelopeXdr)
  } catch (error) {
    // An endpoint may have received the envelope all the same; the follower reads the ledger to find out.
    deps.log.warn(
      { err: error, hash: submitted.recorded.txHash },
      'No endpoint answered when an envelope was sent',
    )
    return sent
  }
  const { status, resultCode } = outcome
  if (resultCode === 'txBadSeq') network.counters.count('sequence_conflict')
  if (status !== 'ERROR') {
    const isQueued = status === 'PENDING' || status === 'DUPLICATE'
    return { kind: 'sent', submitted: { ...submitted, isQueued } }
  }
  return handleRefusal(deps, claimed, submitted, outcome)
}

/** Only a higher bid ends the attempt: whatever else an endpoint says, the ledger tells how the settlement ends. */
async function handleRefusal(
  { follower, log }: SubmitDeps,
  { network, quote }: ClaimedPayment,
  submitted: SubmittedSettlement,
  { resultCode = '', operationCode, feeCharged: feeWanted }: SendOutcome,
): Promise<SubmitResult> {
  const sent = { kind: 'sent', submitted } as const
  const refusal = refusalOf(resultCode || undefined, operationCode)
  if (refusal === 'undecided') return sent
  let because = resultCode
  if (refusal === 'network') {
    const { inclusionFeeCap: cap, policy } = network
    const higherBid = bidAgain(quote, feeWanted, { cap, maxFee: policy.maxTxFeeStroops })
    const atLimit = refusalAt('send', { higherBid })
    if (higherBid && !atLimit) {
      const isEnded = await follower.finisher.endRefusedAttempt(network, submitted, resultCode)
      return isEnded ? { kind: 'outbid', higherBid } : sent
    }
    because = [resultCode, atLimit?.message].filter(Boolean).join('; ')
  }
  const { txHash: hash, channel } = submitted.recorded
  const level = refusal === 'sponsor' ? 'error' : 'warn'
  log[level]({ ...submitted.key, hash, channel, because }, saidOf[refusal])
  return { kind: 'sent', submitted: { ...submitted, refusedBecause: because } }
}

const saidOf = {
  network: 'An endpoint refused a settlement because of its fee',
  sponsor: 'An endpoint refused a settlement because of the sponsor or the channel',
  payment: 'An endpoint refused a settlement as invalid',
} as const

/** Never throws, so that the error that led here stays the one reported. */
async function release(
  { store, log, uncertain }: SubmitDeps,
  { network, fence, fingerprint }: ClaimedPayment,
): Promise<void> {
  try {
    await releaseClaim(store.db, fence)
    network.channelQueue.freed()
    store.notifyFreedChannels(fence.key.network)
  } catch (error) {
    log.warn({ err: error, ...fence.key }, 'Could not release a claim')
    uncertain.add(network, { ...fence, fingerprint })
  }
}
