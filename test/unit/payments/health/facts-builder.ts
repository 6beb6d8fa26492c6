import type {
  ContractFacts,
  SponsorBalance,
  UptoFacts,
} from '../../../../src/diagnosis/facts/facts.ts'
import type { HealthFacts } from '../../../../src/payments/health/facts.ts'
import type { HourStats } from '../../../../src/payments/store/settlements/hour-stats.ts'
import { asStroops } from '../../../../src/platform/core/amounts/stroops.ts'

const xlm = 10_000_000n

const hourStats = (): HourStats => ({
  last1h: { succeeded: 4, failed: 3, expired: 2, pending: 1 },
  unfinished: 1,
  unresolvable: 0,
  committed: asStroops(500n),
  wasted: asStroops(60n),
  channelsInUse: 2,
  counts: { repeat: 7, lease_timeout: 8, sequence_conflict: 9 },
})

export const contract = (changes: Partial<ContractFacts> = {}): ContractFacts => ({
  alias: 'USDC',
  id: 'CUSDC',
  misses: 0,
  ttl: { instanceTtl: 1_000_000 },
  ...changes,
})

export const known = (
  stroops: bigint,
  locked = 0n,
  promised = 0n,
): Extract<SponsorBalance, { kind: 'known' }> => ({
  kind: 'known',
  stroops: asStroops(stroops),
  locked: asStroops(locked),
  promised: asStroops(promised),
})

interface UptoChanges {
  readonly account?: UptoFacts['authority']['account']['value']
  readonly accountMisses?: number
  readonly tokens?: UptoFacts['authority']['tokens']['value']
  readonly keeper?: Partial<UptoFacts['keeper']>
}

/** A settlement contract that works, and an authority that exists and has nothing. */
export const upto = (changes: UptoChanges = {}): UptoFacts => ({
  contract: 'CUPTO',
  ttl: undefined,
  authority: {
    address: 'GAUTHORITY',
    account: {
      value: 'account' in changes ? changes.account : known(0n),
      misses: changes.accountMisses ?? 0,
    },
    tokens: { value: 'tokens' in changes ? changes.tokens : [], misses: 0 },
  },
  missingEarlier: [],
  keeper: {
    enabled: true,
    autoRestore: true,
    state: {
      value: {
        network: 'stellar:testnet',
        contract: 'CUPTO',
        checkedAt: new Date('2026-09-21T14:13:00.000Z'),
        plan: undefined,
        lastAction: undefined,
        error: undefined,
      },
      misses: 0,
    },
    ...changes.keeper,
  },
})

/** A network without warnings. */
export const facts = (changes: Partial<HealthFacts> = {}): HealthFacts => ({
  id: 'stellar:testnet',
  rpc: { misses: 0, ledger: { sequence: 1_234, ageMs: 3_999 } },
  sponsor: {
    address: 'GSPONSOR',
    floor: asStroops(25n * xlm),
    balance: known(25n * xlm),
  },
  channels: { total: 8 },
  hour: { value: hourStats(), misses: 0 },
  contracts: [contract()],
  counted: { transportErrors1h: 5, leaseWaitP95Ms: 12.5 },
  ...changes,
})
