import type { Clock } from '../../platform/core/time/clock.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { declaresResource } from '../protocol/declaration.ts'
import type { PaymentRequest } from '../protocol/protocol.ts'
import type { Payment } from '../schemes/scheme.ts'
import type { SettlementKey } from '../store/settlements/settlement.ts'

/** The catalog's hooks for payments that carry the `bazaar` extension. Each returns a value of `EXTENSION-RESPONSES`. */
export interface CatalogHooks {
  /** The outcome of the declaration, if this payment were settled. */
  preview(payment: Payment): Promise<string | undefined>
  /** The outcome of the declaration of a payment that was settled, by this request or an earlier one. */
  settled(key: SettlementKey, request: PaymentRequest): Promise<string | undefined>
}

export interface CatalogHeaderDeps {
  /** Absent: the catalog is off. */
  readonly catalog?: CatalogHooks | undefined
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors'>
}

/** How the catalog answers a payment that declares a resource (x402 version 2, section 7.2.1). */
export const EXTENSION_RESPONSES = 'extension-responses'

/** Most of the time passes while the payment is simulated. */
const PREVIEW_BUDGET_MS = 250
/** The catalog records a declaration in a few hundred milliseconds, and clients wait for a ledger anyway. */
const SETTLED_BUDGET_MS = 2_000

/** A header that breaks a rule of HTTP would break the answer. */
const HEADER_VALUE = /^[A-Za-z0-9+/=]{1,4096}$/

/** The header of a valid verification; never rejects, and takes no longer than its budget. */
export const previewHeader = (
  deps: CatalogHeaderDeps,
  payment: Payment,
): Promise<string | undefined> =>
  askCatalog(deps, PREVIEW_BUDGET_MS, payment.request, (catalog) => catalog.preview(payment))

/** The header of a successful settlement; never rejects, and takes no longer than its budget. */
export const settledHeader = (
  deps: CatalogHeaderDeps,
  key: SettlementKey,
  request: PaymentRequest,
): Promise<string | undefined> =>
  askCatalog(deps, SETTLED_BUDGET_MS, request, (catalog) => catalog.settled(key, request))

/** Whatever the catalog does, the answer to the payment stays the same: at worst it has no header. */
async function askCatalog(
  { catalog, clock, log, metrics }: CatalogHeaderDeps,
  ms: number,
  request: PaymentRequest,
  ask: (catalog: CatalogHooks) => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!catalog || !declaresResource(request)) return undefined
  try {
    const value = await withTimeLimit({ clock, ms }, async () => ask(catalog))
    if (value === undefined || HEADER_VALUE.test(value)) return value
    throw new Error('the catalog returned what no header can carry')
  } catch (error) {
    if (error instanceof TimeLimitExceeded) return undefined
    onBackgroundError(
      { log, metrics },
      'catalog_answer',
      'The catalog could not answer a payment',
    )(error)
    return undefined
  }
}
