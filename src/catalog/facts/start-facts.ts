import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { Store } from '../../platform/database/open.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { readReceivable } from '../../stellar/accounts/receivable.ts'
import { readTokenMetadata } from '../../stellar/contracts/token-contract.ts'
import { assetFactsOf } from '../../stellar/contracts/token-text.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import {
  type AssetKey,
  addMissingFacts,
  type PayeeKey,
  postponeAsset,
  postponePayee,
  saveAssetFacts,
  savePayeeFacts,
  takeDueAssets,
  takeDuePayees,
} from '../store/facts.ts'

export interface FactsOptions {
  readonly store: Pick<Store, 'db'>
  /** RPC clients of the networks whose facts this process reads. */
  readonly rpcs: ReadonlyMap<NetworkId, Pick<StellarRpc, 'ledgerEntries' | 'simulate'>>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors'>
  /** Pause between two rounds, in milliseconds. @default 5,000 */
  readonly everyMs?: number
  readonly signal?: AbortSignal
  /** Called after a round in which a fact changed. */
  readonly onChanged?: () => void
}

const MINUTE_MS = 60_000
const ASSETS_EVERY_MS = 24 * 60 * MINUTE_MS
const PAYEES_EVERY_MS = 60 * MINUTE_MS
const RETRY_MS = MINUTE_MS
/** Longer than an RPC pool tries one request, three times over. */
const LEASE_MS = MINUTE_MS
const ASSETS_PER_ROUND = 10
/** One request reads as many entries. */
const PAYEES_PER_ROUND = 200

/**
 * Keeps symbol, name and decimals of the listed assets, and whether their payees can receive them, as the ledger has
 * it: reads those of new options at once, those of assets daily and those of payees hourly. All processes share the work.
 */
export function startFacts(options: FactsOptions): WakeableLoop {
  const { store, rpcs, clock, everyMs = 5_000, signal, onChanged } = options
  const networks = [...rpcs.keys()]
  let seen = 0n
  return startWakeableLoop({
    clock,
    pauseMs: everyMs,
    ...(signal && { signal }),
    onError: onBackgroundError(options, 'catalog_facts', 'Could not refresh the facts of listings'),
    run: async (stop) => {
      seen = await addMissingFacts(store.db, seen)
      const due = { networks, leaseMs: LEASE_MS }
      const assets = await takeDueAssets(store.db, { ...due, limit: ASSETS_PER_ROUND })
      const payees = await takeDuePayees(store.db, { ...due, limit: PAYEES_PER_ROUND })
      const changes = await Promise.all([
        ...assets.map((asset) => readAsset(options, asset, stop)),
        ...networks.map((network) =>
          readPayees(
            options,
            network,
            payees.filter((payee) => payee.network === network),
            stop,
          ),
        ),
      ])
      if (changes.includes(true)) onChanged?.()
    },
  })
}

async function readAsset(
  { store, rpcs, random, log }: FactsOptions,
  key: AssetKey,
  signal: AbortSignal,
): Promise<boolean> {
  const rpc = rpcs.get(key.network)
  if (!rpc) return false
  try {
    const facts = assetFactsOf(await readTokenMetadata(rpc, key.asset, signal))
    return await saveAssetFacts(store.db, key, facts, spread(ASSETS_EVERY_MS, random))
  } catch (error) {
    if (!signal.aborted) log.info({ err: error, ...key }, 'Could not read a token: trying again')
    await postponeAsset(store.db, key, signal.aborted ? 0 : spread(RETRY_MS, random))
    return false
  }
}

async function readPayees(
  { store, rpcs, random, log }: FactsOptions,
  network: NetworkId,
  payees: readonly PayeeKey[],
  signal: AbortSignal,
): Promise<boolean> {
  const rpc = rpcs.get(network)
  if (!rpc || payees.length === 0) return false
  try {
    const answers = await readReceivable(rpc, payees, signal)
    let hasChanged = false
    for (const [place, payee] of payees.entries()) {
      const dueInMs = spread(PAYEES_EVERY_MS, random)
      const isNew = await savePayeeFacts(store.db, payee, answers[place] ?? false, dueInMs)
      hasChanged ||= isNew
    }
    return hasChanged
  } catch (error) {
    if (!signal.aborted) log.info({ err: error, network }, 'Could not read payees: trying again')
    for (const payee of payees) {
      await postponePayee(store.db, payee, signal.aborted ? 0 : spread(RETRY_MS, random))
    }
    return false
  }
}

/** Up to a tenth later, so that what became due together does not stay so. */
const spread = (ms: number, random: Random): number => Math.round(ms * (1 + random() / 10))
