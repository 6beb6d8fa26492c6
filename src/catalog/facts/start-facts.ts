import type { NetworkId } from '../../platform/core/caip2.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import { readReceivable } from '../../stellar/accounts/receivable.ts'
import { TokenReader } from '../../stellar/contracts/token-reader.ts'
import {
  addMissingFacts,
  type PayeeKey,
  postponePayee,
  savePayeeFacts,
  takeDueAssets,
  takeDuePayees,
} from '../store/facts.ts'
import type { FactsOptions } from './facts-options.ts'
import { readAssets } from './read-assets.ts'
import { spread } from './spread.ts'

const MINUTE_MS = 60_000
const PAYEES_EVERY_MS = 60 * MINUTE_MS
const RETRY_MS = MINUTE_MS
/** Longer than an RPC pool tries one request, three times over. */
const LEASE_MS = MINUTE_MS
/** The number of assets, and of payees, in a round: one request reads as many entries. */
const PER_ROUND = 200

/**
 * Keeps symbol, name and decimals of the listed assets, and whether their payees can receive them, as the ledger has
 * it: reads those of new options at once, those of assets daily and those of payees hourly. All processes share the work.
 */
export function startFacts(options: FactsOptions): WakeableLoop {
  const { store, rpcs, clock, everyMs = 5_000, signal, onChanged } = options
  const networks = [...rpcs.keys()]
  let seen = 0n
  const tokens = new TokenReader(clock)
  return startWakeableLoop({
    clock,
    pauseMs: everyMs,
    ...(signal && { signal }),
    onError: onBackgroundError(options, 'catalog_facts', 'Could not refresh the facts of listings'),
    run: async (stop) => {
      seen = await addMissingFacts(store.db, seen)
      const due = { networks, leaseMs: LEASE_MS, limit: PER_ROUND }
      const assets = await takeDueAssets(store.db, due)
      const payees = await takeDuePayees(store.db, due)
      const changes = await Promise.all(
        networks.flatMap((network) => {
          const isHere = (each: { readonly network: NetworkId }) => each.network === network
          return [
            readAssets({ ...options, tokens }, network, assets.filter(isHere), stop),
            readPayees(options, network, payees.filter(isHere), stop),
          ]
        }),
      )
      if (changes.includes(true)) onChanged?.()
    },
  })
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
