import type { Metrics } from '../../../platform/telemetry/metrics/metrics.ts'
import type { NotSettled } from '../answers.ts'
import type { ServedNetwork } from '../network/served-network.ts'

/** Counts and words the refusal of a paused payer's settlement. */
export function refusePaused(
  metrics: Metrics,
  { id }: ServedNetwork,
  payer: string,
  pausedForMs: number,
): NotSettled {
  metrics.payerRefusals.inc({ network: id, rule: 'paused' })
  return pausedRefusal(payer, pausedForMs)
}

export function pausedRefusal(payer: string, pausedForMs: number) {
  const seconds = Math.ceil(pausedForMs / 1_000)
  return {
    code: 'settle_exact_stellar_payer_paused',
    message: `payments of ${payer} failed on the ledger by its own fault; it is paused for ${seconds} s more`,
  } as const
}
