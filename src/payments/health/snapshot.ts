import { type ContractFacts, currentOf } from '../../diagnosis/facts/facts.ts'
import { catalogHealth, searchHealth } from './catalog/catalog-health.ts'
import type { PolledCatalog } from './catalog/catalog-poller.ts'
import type { HealthFacts } from './facts.ts'
import type { HealthSnapshot, HealthState, HealthWarning, NetworkHealth } from './schema.ts'
import { uptoHealth } from './upto/upto-health.ts'
import { catalogWarningsOf, warningsOf } from './warnings.ts'

export interface SnapshotOptions {
  readonly version: string
  /** ISO 8601; null before the first poll has ended. */
  readonly checkedAt: string | null
  /** Undefined while the catalog is disabled. */
  readonly catalog?: PolledCatalog | undefined
}

/** Makes the answer of `/health` from the facts. Before the first poll it has no warnings. */
export function healthSnapshot(
  networks: readonly HealthFacts[],
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
function networkHealth(facts: HealthFacts): NetworkHealth {
  const { rpc, sponsor, channels, hour, contracts, upto, counted } = facts
  const { value: last } = hour
  const current = currentOf(hour)
  const { balance } = sponsor
  return {
    rpc: {
      ok: rpc.misses === 0 && rpc.ledger !== undefined,
      latestLedger: rpc.ledger?.sequence ?? null,
      ledgerAgeSeconds: rpc.ledger ? Math.max(0, Math.floor(rpc.ledger.ageMs / 1_000)) : null,
      transportErrors1h: counted.transportErrors1h,
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
      leaseWaitP95Ms: counted.leaseWaitP95Ms ?? null,
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
