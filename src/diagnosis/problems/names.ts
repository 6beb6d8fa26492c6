/* The names that monitoring and scripts rely on. A published one keeps its meaning, its severity and its place. */

/** Every check of `svc doctor`, in the order in which they are made. */
export const checkNames = [
  'configuration',
  'secret-files',
  'api-keys',
  'store',
  'store-latency',
  'store-clock',
  'store-pooler',
  'store-timeout',
  'schema',
  'tables',
  'rpc',
  'rpc-network',
  'rpc-protocol',
  'rpc-lag',
  'rpc-retention',
  'rpc-latency',
  'clock',
  'sponsor',
  'signer',
  'sponsor-signature',
  'sponsor-balance',
  'sponsor-runway',
  'channels',
  'channel-keys',
  'channel-states',
  'channel-sequences',
  'other-sponsors',
  'contracts',
  'settlements',
  'unresolvable',
  'terms',
  'trial-payments',
  'upto-authority',
  'upto-contract',
  'upto-keeper',
] as const
/** The last one is of `svc preflight` alone. */
export type CheckName = (typeof checkNames)[number] | 'leasable-channels'

export const severities = ['critical', 'warning'] as const
export type Severity = (typeof severities)[number]

/** The limits of the TTL of a contract, in ledgers: about a day, about a week. */
export const ttlLimits = { critical: 17_280, low: 120_960 } as const
/** How far the index may be behind the catalog: builds of a large one take seconds. */
export const MAX_BEHIND_SECONDS = 60
/** Processes that search come and go in a rollout. */
export const MAX_UNSEARCHED_MS = 60_000

interface Warning {
  readonly severity: Severity
  /** The condition, for the documentation: it continues "raised while". */
  readonly when: string
}

/** Every warning of `/health`, in the order of the interface. */
export const warnings = {
  rpc_unhealthy: {
    severity: 'critical',
    when: 'no RPC endpoint of the network answered the last two polls',
  },
  ledger_stale: {
    severity: 'critical',
    when: 'the latest ledger that was read closed over 60 seconds ago, by the clock of this machine',
  },
  rpc_disputed: {
    severity: 'critical',
    when: 'RPC endpoints have contradicted each other for two minutes about the latest ledger, and have not agreed since',
  },
  sponsor_below_floor: {
    severity: 'critical',
    when: 'the sponsor can spend less than `MIN_SPONSOR_BALANCE_XLM`, or its balance is unknown for over 60 seconds',
  },
  signer_unreachable: {
    severity: 'critical',
    when: 'what signs for the sponsor does not answer, accepts none of our credentials, or gives what is no signature',
  },
  signer_key_differs: {
    severity: 'critical',
    when: "what signs for the sponsor has no key of the sponsor's account",
  },
  settlement_ledger_unreadable: {
    severity: 'critical',
    when: 'the settlement tables could not be read at the last poll',
  },
  settlements_unresolvable: {
    severity: 'critical',
    when: 'the ledger can no longer prove the outcome of at least one settlement',
  },
  contract_missing: {
    severity: 'critical',
    when: "the watched contract's instance is not on the ledger",
  },
  contract_archived: {
    severity: 'critical',
    when: "the TTL of the contract's instance or code is negative",
  },
  contract_ttl_critical: {
    severity: 'critical',
    when: `instance or code has under ${ttlLimits.critical} ledgers (about a day) to live`,
  },
  contract_ttl_low: {
    severity: 'warning',
    when: `instance or code has under ${ttlLimits.low} ledgers (about a week) to live`,
  },
  contract_ttl_unchecked: {
    severity: 'warning',
    when: 'the last three polls could not read the TTL of the contract',
  },
  terms_unpayable: {
    severity: 'critical',
    when: 'no payment in an accepted asset and a served scheme can be made on the terms of the settings: the maximum fee, the largest amount or the longest timeout is too low, or the asset breaks a rule of the scheme',
  },
  terms_fee_low: {
    severity: 'warning',
    when: 'the maximum fee is below what a payment between two accounts costs, in an accepted asset and a served scheme; payers whose balance and signature cost less may pay',
  },
  asset_decimals_differ: {
    severity: 'warning',
    when: 'the configured decimals of an accepted asset are not those of its contract',
  },
  catalog_unreadable: {
    severity: 'critical',
    when: 'the catalog tables could not be read at the last poll',
  },
  search_index_failed: {
    severity: 'critical',
    when: 'the last build of the search index failed, and no process has an index to search',
  },
  search_index_degraded: {
    severity: 'warning',
    when: `the embeddings endpoint failed in the last build, the index lacks a change that is over ${MAX_BEHIND_SECONDS} seconds old, or no process has searched for ${MAX_UNSEARCHED_MS / 1_000} seconds`,
  },
  upto_authority_missing: {
    severity: 'critical',
    when: 'the settlement authority of the scheme `upto`, or that of the previous sponsor, is not on the ledger',
  },
  upto_authority_funded: {
    severity: 'warning',
    when: 'the settlement authority has XLM that is not locked as its reserve',
  },
  upto_authority_holds_tokens: {
    severity: 'warning',
    when: 'the settlement authority holds an accepted token',
  },
  upto_contract_restore_required: {
    severity: 'critical',
    when: 'the instance or the code of the settlement contract is archived',
  },
  upto_ttl_keeper_failed: {
    severity: 'warning',
    when: 'the last round of the keeper, which extends and restores the settlement contract, failed',
  },
} as const satisfies Readonly<Record<string, Warning>>

export type WarningCode = keyof typeof warnings
export const warningCodes = Object.keys(warnings) as readonly WarningCode[]
