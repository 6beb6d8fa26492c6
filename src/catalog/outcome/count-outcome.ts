import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import type { StoredOutcome } from '../store/outcomes.ts'
import type { CatalogPhase } from './codes.ts'

/** Counts an outcome where it comes about: a preview after the verification, a settlement's once it is stored. */
export function countOutcome(
  metrics: Pick<Metrics, 'catalogOutcomes'>,
  phase: CatalogPhase,
  { status, code }: Pick<StoredOutcome, 'status' | 'code'>,
): void {
  metrics.catalogOutcomes.inc({ phase, status, code })
}
