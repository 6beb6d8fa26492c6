/** Facts of a healthy service; each test changes one. */

import { networkFactsOf } from '../../../src/diagnosis/facts/derive.ts'
import type {
  DoctorFacts,
  Endpoint,
  LedgerFacts,
  ReadFacts,
  ServiceFacts,
  StoredFacts,
  StoreFacts,
  UptoLedgerFacts,
} from '../../../src/diagnosis/facts/doctor-facts.ts'
import type { NetworkFacts, UptoFacts } from '../../../src/diagnosis/facts/facts.ts'
import type { Fetched } from '../../../src/diagnosis/facts/fetched.ts'
import type {
  TermsFacts,
  TrialOutcome,
  TriedAsset,
} from '../../../src/diagnosis/facts/trial-facts.ts'
import { known } from '../../../src/diagnosis/problems/check.ts'
import { uptoContract } from '../../../src/localnet/genesis/upto-contract.ts'
import type { AcceptedAsset } from '../../../src/payments/protocol/policy.ts'
import type { SchemeName } from '../../../src/payments/protocol/schemes.ts'
import type { Channel } from '../../../src/payments/store/channels/channel.ts'
import type { KeeperState } from '../../../src/payments/store/upto/keeper-state.ts'
import { asStroops } from '../../../src/platform/core/amounts/stroops.ts'
import type { ApiKeyEntry } from '../../../src/platform/core/api-key-entry.ts'
import { type NetworkId, passphrases } from '../../../src/platform/core/caip2.ts'
import type { Route } from '../../../src/platform/database/postgres/route.ts'
import type { TableSize } from '../../../src/platform/database/postgres/table-sizes.ts'
import { loadServeConfig } from '../../../src/settings/serve.ts'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'
import type { ContractTtl } from '../../../src/stellar/contracts/contract-ttl.ts'
import { UPTO_CODE_HASH } from '../../../src/stellar/contracts/upto-code-hash.ts'
import type { AccountState } from '../../../src/stellar/rpc/rpc.ts'

export const XLM = 10_000_000n
export const NOW = 1_700_000_000_000

/** What is read of the network and of the service, and what is derived from it, where a test changes that itself. */
export interface Changes
  extends Partial<ServiceFacts>,
    Partial<Omit<ReadFacts, 'contracts' | 'upto'>> {
  readonly id?: NetworkId
  readonly hourlyBudget?: bigint
  readonly autoProvisionChannels?: boolean
  readonly requireApiKey?: boolean
  readonly apiKeys?: readonly ApiKeyEntry[]
  /** Of the accepted asset. */
  readonly ttl?: ContractTtl
  readonly uptoRead?: Fetched<UptoLedgerFacts>
  readonly uptoKeeper?: Partial<UptoFacts['keeper']>
  readonly derived?: Partial<NetworkFacts>
}

export function facts(changes: Changes = {}): DoctorFacts {
  const { id = 'stellar:testnet', requireApiKey = false, apiKeys: entries = [] } = changes
  const { hourlyBudget, autoProvisionChannels = true } = changes
  const prefix = id === 'stellar:pubnet' ? 'PUBNET' : 'TESTNET'
  const config = loadServeConfig({
    NETWORKS: id,
    DATABASE_URL: 'postgres://db.example/svc',
    [`${prefix}_RPC_URL`]: 'https://rpc.example',
    [`${prefix}_SPONSOR_SECRET`]: secretOfSeed(new Uint8Array(32)),
    [`${prefix}_UPTO_CONTRACT`]: uptoContract(passphrases[id]),
    CHANNEL_COUNT: '2',
    PUBNET_REQUIRE_API_KEY: 'false',
  })
  const [configured] = config.networks
  if (!configured) throw new Error('a network is configured')
  const network = {
    ...configured,
    assets: configured.assets.slice(0, 1),
    requireApiKey,
    autoProvisionChannels,
    hourlyBudget: hourlyBudget === undefined ? undefined : asStroops(hourlyBudget),
  }
  const [asset] = network.assets
  const read = {
    endpoints: [endpoint('a')],
    ledger: ledger(),
    contracts: known(new Map([[asset?.contract ?? '', changes.ttl ?? { instanceTtl: 500_000 }]])),
    stored: stored(),
    upto: changes.uptoRead ?? upto(),
    trial: trial(),
    promisedFees: undefined,
    ...pick(changes, ['endpoints', 'ledger', 'stored', 'trial', 'promisedFees']),
  }
  const derived = networkFactsOf(network, 'GSPONSOR', read)
  return {
    config: { ...config, apiKeys: { entries }, networks: [network] },
    now: NOW,
    secretFiles: [],
    store: known(storeFacts()),
    routes: { url: known(route()), directUrl: undefined },
    tables: known([table()]),
    ...pick(changes, ['config', 'now', 'secretFiles', 'store', 'routes', 'tables']),
    network,
    read,
    ...derived,
    upto: derived.upto && {
      ...derived.upto,
      keeper: { ...derived.upto.keeper, ...changes.uptoKeeper },
    },
    ...changes.derived,
  }
}

const pick = <T extends object, K extends keyof T>(from: T, keys: readonly K[]): Pick<T, K> =>
  Object.fromEntries(
    keys.filter((key) => key in from).map((key) => [key, from[key]]),
  ) as unknown as Pick<T, K>

export const upto = (
  changes: Partial<UptoLedgerFacts> = {},
  entries: Partial<UptoLedgerFacts['entries']> = {},
): Fetched<UptoLedgerFacts> =>
  known({
    authority: 'GAUTHORITY',
    account: account({ balance: 0n }),
    missingEarlier: [],
    missingNext: undefined,
    entries: {
      latestLedger: 1_000,
      instance: { key: 'instance', ttl: 500_000 },
      wasmHash: UPTO_CODE_HASH,
      code: { key: 'code', ttl: 500_000 },
      maxTtl: 3_110_399,
      ...entries,
    },
    ...changes,
  })

export const usdc: AcceptedAsset = { contract: 'CUSDC', symbol: 'USDC', decimals: 7 }

/** USDC by `exact` alone, which can be paid. */
export const trial = (
  changes: Partial<Omit<TriedAsset, 'payments'>> = {},
  payments: Partial<Record<SchemeName, TrialOutcome>> = {},
): Fetched<readonly TriedAsset[]> =>
  known([
    {
      asset: usdc,
      decimals: 7,
      isOnLedger: true,
      payments: Object.entries({
        exact: { kind: 'possible', least: asStroops(27_000n), likely: asStroops(33_231n) } as const,
        ...payments,
      }).map(([scheme, outcome]) => ({ scheme: scheme as SchemeName, outcome })),
      ...changes,
    },
  ])

/** The terms of USDC with other settings. */
export const terms = (changes: Partial<TermsFacts>): Changes => ({
  derived: {
    terms: {
      assets: [usdc],
      maxTxFeeStroops: asStroops(300_000n),
      expirationMarginLedgers: 1,
      timeoutMaxSeconds: 900,
      secondsPerLedger: 5,
      ...changes,
    },
  },
})

export const keeper = (changes: Partial<KeeperState> = {}): KeeperState => ({
  network: 'stellar:testnet',
  contract: 'CUPTO',
  checkedAt: new Date(NOW),
  plan: undefined,
  lastAction: undefined,
  error: undefined,
  ...changes,
})

export const storeFacts = (): StoreFacts => ({
  version: '18.4',
  latencyMs: 2,
  clockAheadMs: 3,
  missingMigrations: [],
  newerSchema: undefined,
  statementTimeoutMs: 10_000,
  role: 'x402',
  isReadOnly: false,
})

export const table = (changes: Partial<TableSize> = {}): TableSize => ({
  table: 'settlements',
  rows: 1_234,
  deadRows: 5,
  bytes: 5 * 2 ** 20,
  oldest: new Date(NOW),
  ...changes,
})

export const route = (changes: Partial<Route> = {}): Route => ({
  isDirect: true,
  database: 'svc of the server of Monday',
  ...changes,
})

export function endpoint(
  name: string,
  {
    sequence = 1_000,
    protocolVersion = 23,
    closedAgoMs = 3_000,
    oldestLedger = 1,
    keptSeconds = 5_000,
    latencyMs = 20,
    passphrase = passphrases['stellar:testnet'],
  } = {},
): Endpoint {
  const closeTime = (NOW - closedAgoMs) / 1_000
  return {
    name,
    answer: known({
      passphrase,
      tip: { sequence, closeTime, protocolVersion },
      retained: {
        latestLedger: sequence,
        latestCloseTime: closeTime,
        oldestLedger,
        oldestCloseTime: closeTime - keptSeconds,
      },
      latencyMs,
      answeredAt: NOW,
    }),
  }
}

interface AccountChanges {
  readonly address?: string
  readonly balance?: bigint
  readonly sponsoring?: number
  readonly sponsored?: number
}

export const account = ({
  balance = 100n * XLM,
  ...changes
}: AccountChanges = {}): AccountState => ({
  address: 'GSPONSOR',
  balance: asStroops(balance),
  sequence: 5n,
  subentries: 0,
  sponsoring: 0,
  sponsored: 2,
  sellingLiabilities: asStroops(0n),
  ...changes,
})

export const ledger = (changes: Partial<LedgerFacts> = {}): Fetched<LedgerFacts> =>
  known({
    sponsor: account({ sponsoring: 4, sponsored: 0 }),
    signing: { masterWeight: 1, low: 0, medium: 0, high: 0 },
    channels: new Map(['C0', 'C1'].map((address) => [address, account({ address, balance: 0n })])),
    derived: ['C0', 'C1'],
    ...changes,
  })

export const channel = (index: number, changes: Partial<Channel> = {}): Channel => ({
  network: 'stellar:testnet',
  sponsor: 'GSPONSOR',
  index,
  account: `C${index}`,
  sequence: 5n,
  state: 'active',
  isLeased: false,
  lastUsedAt: undefined,
  ...changes,
})

export const submitted = (changes: Partial<StoredFacts['submitted'][number]> = {}) => ({
  txHash: 'f00d',
  recordedAtLedger: 990,
  recordedAt: NOW - 10_000,
  ...changes,
})

export const stored = ({
  committed = 0n,
  ...changes
}: Partial<StoredFacts> & { readonly committed?: bigint } = {}): Fetched<StoredFacts> =>
  known({
    channels: [channel(0), channel(1)],
    lapsed: 0,
    hour: {
      last1h: { succeeded: 4, failed: 0, expired: 0, pending: 0 },
      unfinished: 0,
      unresolvable: 0,
      committed: asStroops(committed),
      wasted: asStroops(0n),
      channelsInUse: 0,
      counts: { repeat: 0, lease_timeout: 0, sequence_conflict: 0 },
    },
    submitted: [],
    keeper: keeper(),
    inUse: new Set(['GSPONSOR']),
    readAt: NOW,
    ...changes,
  })
