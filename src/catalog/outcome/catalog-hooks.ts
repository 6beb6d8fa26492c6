import {
  declarationOf,
  declaresResource,
  parseDeclaration,
  type RawDeclaration,
} from '../../payments/protocol/declaration.ts'
import type { PaymentRequest } from '../../payments/protocol/protocol.ts'
import type { Payment } from '../../payments/schemes/scheme.ts'
import type { SettlementKey } from '../../payments/store/settlements/settlement.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { withTimeLimit } from '../../platform/core/time/time-limit.ts'
import type { Store } from '../../platform/database/open.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { itemKeyOf } from '../items/item-key.ts'
import type { ReadDeclaration } from '../listing.ts'
import { findListedVersion } from '../store/discovery/listed-version.ts'
import type { DeclarationState, StoredOutcome } from '../store/outcomes.ts'
import { countOutcome } from './count-outcome.ts'
import { encodeExtensionResponse } from './encode-extension-response.ts'
import { OutcomeWaiter } from './outcome-waiter.ts'
import { VerifyCounts } from './verify-counts.ts'

export interface CatalogHooksOptions {
  readonly store: Pick<Store, 'db'>
  readonly clock: Clock
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'catalogOutcomes' | 'backgroundErrors'>
  /** Names this process in the store. */
  readonly writer: string
  /** Reads a declaration by the rules that apply to a settled payment; the signal aborts when no caller waits any more. */
  readonly read: (
    declaration: RawDeclaration,
    payment: Payment,
    signal: AbortSignal,
  ) => Promise<ReadDeclaration>
  /** Called when a payment with a declaration has settled: a catalog in this process can record it at once. */
  readonly onSettled?: () => void
}

/** Leaves time for the answer within the 250 ms that a verification waits for the catalog. */
const PREVIEW_MS = 225

/**
 * Answers payments that declare a resource: `CatalogHooks` of the facilitator. Neither answer rejects, or takes longer than its payment
 * waits for it. Disposal ends all waits.
 */
export function catalogHooks(options: CatalogHooksOptions) {
  const { store, clock, writer, metrics, log } = options
  const stop = new AbortController()
  const onError = onBackgroundError(
    options,
    'catalog_answer',
    'Could not read or count outcomes of declarations',
  )
  const waiter = new OutcomeWaiter({ store, clock, onError, signal: stop.signal })
  const counts = new VerifyCounts({ store, clock, writer, onError })
  return {
    preview: async (payment: Payment): Promise<string | undefined> => {
      const text = declarationOf(payment.request)
      if (text === undefined) return undefined
      const limit = { clock, ms: PREVIEW_MS, signal: stop.signal }
      const previewing = (signal: AbortSignal) =>
        preview(options, parseDeclaration(text), payment, signal)
      const outcome = await withTimeLimit(limit, previewing).catch((error: unknown) => {
        log.debug({ err: error }, 'Could not preview a declaration')
        return unavailable('The catalog could not check the declaration in time.')
      })
      countOutcome(metrics, 'verify', outcome)
      counts.count(outcome.status)
      return encodeExtensionResponse('verify', outcome)
    },
    settled: async (key: SettlementKey, request: PaymentRequest): Promise<string | undefined> => {
      if (!declaresResource(request)) return undefined
      options.onSettled?.()
      return encodeExtensionResponse('settle', outcomeOf(await waiter.wait(key)))
    },
    [Symbol.asyncDispose]: async (): Promise<void> => {
      stop.abort(new Error('the catalog is stopping'))
      await counts[Symbol.asyncDispose]()
    },
  }
}

/** The expected answer to a settlement of this payment, as far as that is known before. */
async function preview(
  { store, read }: CatalogHooksOptions,
  declaration: RawDeclaration,
  payment: Payment,
  signal: AbortSignal,
): Promise<StoredOutcome> {
  const declared = await read(declaration, payment, signal)
  if (!declared.ok) {
    const { code, reason } = declared
    return { status: 'rejected', code, reason, dropped: [] }
  }
  const { content, dropped } = declared
  const network = content.accepts[0]?.network
  const listed = network && (await findListedVersion(store.db, network, itemKeyOf(content)))
  return { status: 'processing', code: 'awaiting_settlement', ...listed, dropped }
}

const unavailable = (reason: string): StoredOutcome => ({
  status: 'rejected',
  code: 'bazaar_catalog_unavailable',
  reason,
  dropped: [],
})

function outcomeOf(state: DeclarationState): StoredOutcome {
  if (state.kind === 'recorded') return state.outcome
  if (state.kind === 'waiting') {
    return { status: 'processing', code: 'cataloging_in_progress', dropped: [] }
  }
  return unavailable('The catalog holds no declaration of this settlement.')
}
