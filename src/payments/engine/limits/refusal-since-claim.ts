import { readPause } from '../../store/settlements/look-up.ts'
import type { NotSettled } from '../answers.ts'
import type { ClaimedPayment, SubmitDeps } from '../claimed-payment.ts'
import type { ServedNetwork } from '../network/served-network.ts'
import { refusePaused } from './payer-pause.ts'

/** Why a payment must not be sent although it was claimed, after it has waited for its channel; undefined when it may go on. */
export async function refusalSinceClaim(
  { store, metrics }: Pick<SubmitDeps, 'store' | 'metrics'>,
  { network, payment, fence: { key } }: ClaimedPayment,
): Promise<NotSettled | undefined> {
  const expired = expiredSinceClaim(network, payment)
  if (expired) return expired
  // Meanwhile others of the payer may have failed on the ledger.
  const { pause, paused } = network.payers
  if (!pause) return undefined
  const pausedForMs = await readPause(store.db, key, pause)
  paused.note(key.payer, pausedForMs)
  return pausedForMs > 0 ? refusePaused(metrics, network, key.payer, pausedForMs) : undefined
}

/** No later ledger accepts the authorization, so that its transaction could only be dropped. */
function expiredSinceClaim(
  { time }: ServedNetwork,
  { scheme, authorization }: ClaimedPayment['payment'],
): NotSettled | undefined {
  const { expirationLedger } = authorization
  const { latestLedger = 0 } = time
  if (latestLedger < expirationLedger) return undefined
  return {
    code: scheme.rules.settle.codes.expired,
    message: `the authorization expired after ledger ${expirationLedger}, while the payment waited for a channel; the latest is ${latestLedger}`,
  }
}
