import { asStroops } from '../../../../src/core/stroops.ts'
import type {
  ContractFacts,
  NetworkFacts,
  SponsorBalance,
} from '../../../../src/facilitator/health/facts.ts'
import type { HourStats } from '../../../../src/store/settlements/hour-stats.ts'

export const xlm = 10_000_000n

export const hourStats = (changes: Partial<HourStats> = {}): HourStats => ({
  last1h: { succeeded: 4, failed: 3, expired: 2, pending: 1 },
  unfinished: 1,
  unresolvable: 0,
  committed: asStroops(500n),
  wasted: asStroops(60n),
  channelsInUse: 2,
  counts: { repeat: 7, lease_timeout: 8, sequence_conflict: 9 },
  ...changes,
})

export const contract = (changes: Partial<ContractFacts> = {}): ContractFacts => ({
  alias: 'USDC',
  id: 'CUSDC',
  misses: 0,
  ttl: { instanceTtl: 1_000_000 },
  ...changes,
})

export const known = (stroops: bigint, locked = 0n, promised = 0n): SponsorBalance => ({
  kind: 'known',
  stroops: asStroops(stroops),
  locked: asStroops(locked),
  promised: asStroops(promised),
})

/** A network without warnings. */
export const facts = (changes: Partial<NetworkFacts> = {}): NetworkFacts => ({
  id: 'stellar:testnet',
  rpc: { misses: 0, ledger: { sequence: 1_234, ageSeconds: 3 }, transportErrors1h: 5 },
  sponsor: {
    address: 'GSPONSOR',
    floor: asStroops(25n * xlm),
    balance: known(25n * xlm),
  },
  channels: { total: 8, leaseWaitP95Ms: 12.5 },
  store: { misses: 0, hourStats: hourStats() },
  contracts: [contract()],
  ...changes,
})
