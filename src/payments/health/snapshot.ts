import { catalogHealth, searchHealth } from './catalog/catalog-health.ts'
import type { CatalogFacts } from './catalog/catalog-poller.ts'
import { catalogWarningsOf } from './catalog/catalog-warnings.ts'
import type { ContractFacts, NetworkFacts } from './facts.ts'
import type { HealthSnapshot, HealthState, HealthWarning, NetworkHealth } from './schema.ts'
import { uptoHealth } from './upto/upto-health.ts'
import { warningsOf } from './warnings.ts'

export interface SnapshotOptions {
  readonly version: string
  /** ISO 8601; null before the first poll has ended. */
  readonly checkedAt: string | null
  /** Undefined while the catalog is disabled. */
  readonly catalog?: CatalogFacts | undefined
}

/** Makes the answer of `/health` from the facts. Before the first poll it has no warnings. */
export function healthSnapshot(
  networks: readonly NetworkFacts[],
  { version, checkedAt, catalog }: SnapshotOptions,
): HealthSnapshot {
  const raised = [...warningsOf(networks), ...(catalog ? catalogWarningsOf(catalog) : [])]
  const warnings = checkedAt === null ? [] : raised
  return {
    status: 'ok',
    version,
    state: checkedAt === null ? 'starting' : stateAfterPoll(warnings),
    checkedAt,
    warnings,
    networks: Object.fromEntries(networks.map((facts) => [facts.id, networkHealth(facts)])),
    ...(catalog && { catalog: catalogHealth(catalog), search: searchHealth(catalog) }),
  }
}

/** The last poll alone decides. */
export const stateAfterPoll = (
  warnings: readonly Pick<HealthWarning, 'severity'>[],
): Exclude<HealthState, 'starting'> =>
  warnings.some(({ severity }) => severity === 'critical') ? 'degraded' : 'healthy'

/**
 * While the store cannot be read, its numbers are null where the schema allows that, and otherwise as
 * last read, so that a counter does not drop to 0.
 */
function networkHealth(facts: NetworkFacts): NetworkHealth {
  const { rpc, sponsor, channels, store, contracts, upto } = facts
  const { hourStats: last } = store
  const current = store.misses === 0 ? last : undefined
  const { balance } = sponsor
  return {
    rpc: {
      ok: rpc.misses === 0 && rpc.ledger !== undefined,
      latestLedger: rpc.ledger?.sequence ?? null,
      ledgerAgeSeconds: rpc.ledger?.ageSeconds ?? null,
      transportErrors1h: rpc.transportErrors1h,
    },
    sponsor: {
      address: sponsor.address,
      balanceStroops: balance.kind === 'known' ? balance.stroops.toString() : null,
      committed1hStroops: current?.committed.toString() ?? null,
      wasted1hStroops: (last?.wasted ?? 0n).toString(),
    },
    channels: {
      total: channels.total,
      inUse: current?.channelsInUse ?? null,
      leaseWaitP95Ms: channels.leaseWaitP95Ms ?? null,
      leaseTimeouts1h: last?.counts.lease_timeout ?? 0,
    },
    settlements: {
      last1h: current ? { ...current.last1h } : null,
      unfinished: current?.unfinished ?? null,
      unresolvable: last?.unresolvable ?? 0,
      repeats1h: last?.counts.repeat ?? 0,
    },
    sequenceConflicts1h: last?.counts.sequence_conflict ?? 0,
    contracts: Object.fromEntries(contracts.map(contractHealth)),
    ...(upto && { upto: uptoHealth(upto) }),
  }
}

const contractHealth = ({ alias, id, ttl }: ContractFacts) =>
  [
    alias,
    {
      id,
      instanceTtlLedgers: ttl?.instanceTtl ?? null,
      // Code that is not on the ledger has no TTL; a warning reports it.
      ...(typeof ttl?.codeTtl === 'number' && { codeTtlLedgers: ttl.codeTtl }),
    },
  ] as const
