import type { NetworkId } from '../../platform/core/caip2.ts'
import type { Random } from '../../platform/core/time/backoff.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { startWakeableLoop, type WakeableLoop } from '../../platform/core/time/wakeable-loop.ts'
import type { Store } from '../../platform/database/open.ts'
import type { GuardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import { holderOf } from '../../platform/http/host-holder.ts'
import { onBackgroundError } from '../../platform/telemetry/background-error.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import type { Metrics } from '../../platform/telemetry/metrics/metrics.ts'
import { readHomeDomains } from '../../stellar/accounts/home-domains.ts'
import { baseAddress } from '../../stellar/accounts/strkey.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import {
  addMissingDomains,
  changeTrust,
  type DomainKey,
  listTrustChanges,
  postponeDomain,
  saveDomain,
  takeDueDomains,
} from '../store/domains.ts'
import { readDomain, stellarTomlUrl } from './read-domain.ts'
import { claims } from './stellar-toml.ts'

export interface DomainClaimsOptions {
  readonly store: Pick<Store, 'db'>
  readonly fetcher: Pick<GuardedFetcher, 'fetch'>
  readonly clock: Clock
  readonly random: Random
  readonly log: Logger
  readonly metrics: Pick<Metrics, 'backgroundErrors'>
  /** Pause between two rounds, in milliseconds. @default 5,000 */
  readonly everyMs?: number
  readonly signal?: AbortSignal
  /** Called after a round that changed the trust of a listing. */
  readonly onChanged?: () => void
  /** RPC clients of the networks whose accounts this process reads. */
  readonly rpcs: ReadonlyMap<NetworkId, Pick<StellarRpc, 'ledgerEntries'>>
  /** @default `stellarTomlUrl` */
  readonly urlOf?: (host: string) => URL
}

const HOUR_MS = 3_600_000
const EVERY_MS = 6 * HOUR_MS
/** A host that is down for a night keeps its claims. */
const KEPT_MS = 24 * HOUR_MS
const RETRY_MS = HOUR_MS / 4
/** Longer than the hosts of a round take, 3 s each at most. */
const LEASE_MS = 60_000
const CLAIMS_PER_ROUND = 100
const HOSTS_AT_ONCE = 8

/**
 * Keeps up to date which hosts claim the owners of their published listings, and with it the listings' trust: reads
 * the file of a host when a listing of it is published, and every 6 h. All processes share the work.
 */
export function startDomainClaims(options: DomainClaimsOptions): WakeableLoop {
  const { store, clock, log, everyMs = 5_000, signal, onChanged } = options
  let seen = 0n
  return startWakeableLoop({
    clock,
    pauseMs: everyMs,
    ...(signal && { signal }),
    onError: onBackgroundError(
      options,
      'catalog_domains',
      'Could not refresh the domains of listings',
    ),
    run: async (stop) => {
      const since = seen
      const upTo = await addMissingDomains(store.db, since)
      const hosts = await readDueHosts(options, stop)
      const changes = await listTrustChanges(store.db, hosts, since)
      let hasChanged = false
      for (const change of changes) {
        const isDone = await changeTrust(store.db, change, baseAddress)
        if (isDone)
          log.info({ listing: change.id, trust: change.trust }, 'Trust of listing changed')
        hasChanged ||= isDone
      }
      // Only now: after a failure the next round looks at the same listings again.
      seen = upTo
      if (hasChanged) onChanged?.()
    },
  })
}

/** Returns the hosts that were read. */
async function readDueHosts(options: DomainClaimsOptions, stop: AbortSignal): Promise<string[]> {
  const due = await takeDueDomains(options.store.db, { limit: CLAIMS_PER_ROUND, leaseMs: LEASE_MS })
  const byHost = [...Map.groupBy(due, ({ host }) => host)]
  const waiting = byHost.values()
  const work = async () => {
    for (const [host, keys] of waiting) await readHost(options, host, keys, stop)
  }
  await Promise.all(Array.from({ length: HOSTS_AT_ONCE }, work))
  return byHost.map(([host]) => host)
}

async function readHost(
  options: DomainClaimsOptions,
  host: string,
  keys: readonly DomainKey[],
  stop: AbortSignal,
): Promise<void> {
  const {
    store: { db },
    fetcher,
    random,
    urlOf = stellarTomlUrl,
  } = options
  const answer = await readDomain(fetcher, urlOf(host), stop)
  for (const key of keys) {
    if (answer === 'unknown') {
      const retryMs = stop.aborted ? 0 : spread(RETRY_MS, random)
      await postponeDomain(db, key, { retryMs, keptMs: KEPT_MS })
    } else {
      const claimsOwner = answer !== 'none' && claims(answer, key.network, key.owner)
      const isNamedByOwner = claimsOwner && (await isNamed(options, key, stop))
      await saveDomain(db, key, { claimsOwner, isNamedByOwner }, spread(EVERY_MS, random))
    }
  }
}

/**
 * Whether the account of the owner names a host of the same registered domain as its home domain: anyone's file can claim an account, and
 * only the account can answer. Undefined when the ledger could not be read.
 */
async function isNamed(
  { rpcs, log }: DomainClaimsOptions,
  { host, network, owner }: DomainKey,
  stop: AbortSignal,
): Promise<boolean | undefined> {
  const rpc = rpcs.get(network)
  if (!rpc) return undefined
  try {
    const named = (await readHomeDomains(rpc, [owner], stop)).get(baseAddress(owner))
    return named !== undefined && holderOf(named).owner === holderOf(host).owner
  } catch (error) {
    if (!stop.aborted) log.info({ err: error, owner }, 'Could not read the home domain of a payee')
    return undefined
  }
}

/** Up to a tenth earlier, so that what became due together does not stay so. */
const spread = (ms: number, random: Random): number => Math.round(ms * (1 - random() / 10))
