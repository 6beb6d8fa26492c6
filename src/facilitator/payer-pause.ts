import type { Store } from '../store/open.ts'
import { readPause } from '../store/settlements/look-up.ts'
import type { SettlementKey } from '../store/settlements/settlement.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { NotSettled } from './answers.ts'
import type { ServedNetwork } from './served-network.ts'

/** Counts and words the refusal of a paused payer's settlement. */
export function refusePaused(
  metrics: Metrics,
  { id }: ServedNetwork,
  payer: string,
  pausedForMs: number,
): NotSettled {
  metrics.payerRefusals.inc({ network: id, rule: 'paused' })
  const seconds = Math.ceil(pausedForMs / 1_000)
  return {
    code: 'settle_exact_stellar_payer_paused',
    message: `payments of ${payer} failed on the ledger by its own fault; it is paused for ${seconds} s more`,
  }
}

/** The refusal of a settlement whose payer has been paused since its claim; undefined when it may go on. */
export async function refusalSinceClaim(
  { store, metrics }: { readonly store: Store; readonly metrics: Metrics },
  network: ServedNetwork,
  key: SettlementKey,
): Promise<NotSettled | undefined> {
  const { pause, paused } = network.payers
  if (!pause) return undefined
  const pausedForMs = await readPause(store.db, key, pause)
  paused.note(key.payer, pausedForMs)
  return pausedForMs > 0 ? refusePaused(metrics, network, key.payer, pausedForMs) : undefined
}
