import type { AcceptedAsset } from '../../payments/protocol/policy.ts'
import type { Stroops } from '../../platform/core/amounts/stroops.ts'
import { type NetworkId, variablePrefixes } from '../../platform/core/caip2.ts'
import { type FeePercentile, feePercentiles } from '../../stellar/rpc/rpc.ts'
import type { Problem } from '../parser/config-error.ts'
import type { ParsedSettings, SettingsOf } from '../parser/settings.ts'
import {
  boolean,
  choice,
  integer,
  isHttpUrl,
  list,
  lumens,
  optionalBoolean,
  optionalLumens,
  secretSeed,
  stroops,
} from '../parser/values.ts'
import { assets, defaultAssets } from './assets.ts'
import { explorerNetworkSettings } from './explorer-network.ts'
import { type UptoConfig, uptoConfig, uptoSettings } from './upto-settings.ts'
import { type WatchedContractConfig, watchedContracts } from './watched-contracts.ts'

/** How one network is served. */
export interface NetworkConfig {
  readonly id: NetworkId
  /** Stellar RPC endpoints in order of preference. */
  readonly rpcUrls: readonly string[]
  /** Seed of the sponsor, `S...`; the channels' keys are derived from it. */
  readonly sponsorSecret: string
  readonly channelCount: number
  /** Whether missing channel accounts are created at start. */
  readonly autoProvisionChannels: boolean
  readonly assets: readonly AcceptedAsset[]
  /** Ceiling on everything one settlement may cost. */
  readonly maxTxFeeStroops: Stroops
  /** The inclusion bid follows `percentile` of recent bids between `floor` and `cap`. */
  readonly inclusionFee: {
    readonly floorStroops: Stroops
    readonly capStroops: Stroops
    readonly percentile: FeePercentile
  }
  /** Settlements are refused while the sponsor can spend less than this: its balance without the reserves of its channels and the maximum fees of settlements under way. */
  readonly sponsorReserve: Stroops
  /** `/ready` fails and `/health` warns while the sponsor can spend less than this, and no channel is created that would leave less. */
  readonly minSponsorBalance: Stroops
  /** What all replicas together may spend on fees in an hour; no limit when absent. */
  readonly hourlyBudget?: Stroops | undefined
  /** Of the hourly budget, the part that one caller's settlements may use; 100: no limit. */
  readonly maxKeyShareOfBudgetPercent: number
  readonly expirationMarginLedgers: number
  readonly timeoutMinSeconds: number
  readonly timeoutMaxSeconds: number
  /** Rules for each payer. */
  readonly payers: PayerRules
  /** Whether `/verify` and `/settle` require an API key. */
  readonly requireApiKey: boolean
  /** Contracts whose TTL `/health` reports, besides those of the assets. */
  readonly watchedContracts: readonly WatchedContractConfig[]
  /** Undefined: the scheme `upto` is not served. */
  readonly upto?: UptoConfig | undefined
  /** Seed of the sponsor before this one, `S...`: authorizations signed for its settlement authority still settle. */
  readonly previousSponsorSecret?: string | undefined
  /** Seed of the sponsor that replaces this one, `S...`: authorizations signed for its settlement authority settle too. */
  readonly nextSponsorSecret?: string | undefined
}

interface PayerRules {
  /** Whether the unfinished payments of an asset are limited to the payer's balance. */
  readonly limitToFunds: boolean
  /** When new payments of a payer are refused for a while; never when absent. */
  readonly pause?: PauseRule | undefined
}

interface PauseRule {
  /** Failures on the ledger by the payer's own fault. */
  readonly failures: number
  readonly windowSeconds: number
  readonly pauseSeconds: number
}

export const networkSettings = {
  RPC_URL: {
    help: 'Stellar RPC endpoints, comma-separated; when one fails or lags behind the others, the service uses another. Plain http only to this machine.',
    ...list('http(s) URLs', isHttpUrl),
  },
  SPONSOR_SECRET: {
    help: 'Seed of the sponsor, the account that pays the fees. The keys of the channels are derived from it.',
    secret: true,
    ...secretSeed,
  },
  CHANNEL_COUNT: {
    shared: true,
    help: 'Channel accounts; each sends one settlement at a time.',
    ...integer(1, 1_000, 8),
  },
  ASSETS: {
    help: 'Tokens accepted in payment, comma-separated; MIN and MAX limit one payment, in base units.',
    schema: assets.optional(),
    fallback: "the network's USDC",
    range: '`CONTRACT:SYMBOL:DECIMALS[:MIN[:MAX]]`',
  },
  MAX_TX_FEE_STROOPS: {
    shared: true,
    help: 'Maximum fee of a settlement; a payment that would cost more is refused.',
    ...stroops(100n, 300_000n),
  },
  INCLUSION_FEE_STROOPS: {
    shared: true,
    help: 'The lowest inclusion fee that the service bids, per operation.',
    ...stroops(100n, 100n),
  },
  INCLUSION_FEE_CAP_STROOPS: {
    shared: true,
    help: 'The highest inclusion fee that it bids.',
    ...stroops(100n, 10_000n),
  },
  INCLUSION_FEE_PERCENTILE: {
    shared: true,
    help: 'The service bids this percentile of recent inclusion fees of contract transactions, but no less than the lowest and no more than the highest.',
    ...choice(feePercentiles, 'p90'),
  },
  SPONSOR_RESERVE_XLM: {
    shared: true,
    help: 'Settlements are refused while the sponsor can spend less than this: its balance without the reserves of its channels and the maximum fees of settlements under way.',
    ...lumens('5'),
  },
  MIN_SPONSOR_BALANCE_XLM: {
    shared: true,
    help: '`/ready` fails and `/health` warns while the sponsor can spend less than this, and no channel is created that would leave less.',
    ...lumens('25'),
  },
  MAX_SPONSOR_SPEND_XLM_PER_HOUR: {
    shared: true,
    help: 'Budget for the fees of any 60 minutes, over all replicas; a settlement whose maximum fee does not fit is refused, and the keeper of the settlement contract waits until its own fits.',
    ...optionalLumens('1', 'no limit'),
  },
  MAX_KEY_SHARE_OF_BUDGET_PERCENT: {
    shared: true,
    help: 'The part of the hourly budget that the settlements of one API key may use, in percent; all callers without a key count as one. 100: no limit but the budget itself.',
    ...integer(1, 100, 100),
  },
  EXPIRATION_MARGIN_LEDGERS: {
    help: 'How many ledgers after the latest one an authorization must still be valid; 0 counts as 1.',
    ...integer(0, 100, 1),
  },
  TIMEOUT_MIN_SECONDS: {
    help: 'The lowest `maxTimeoutSeconds` that is accepted.',
    ...integer(1, 3_600, 10),
  },
  TIMEOUT_MAX_SECONDS: {
    help: 'The highest `maxTimeoutSeconds` that is accepted.',
    ...integer(1, 3_600, 900),
  },
  PAYER_FUNDS_LIMIT: {
    shared: true,
    help: "Whether a payment is refused when the payer's unfinished payments of the asset, with this one, exceed its balance.",
    ...boolean(true),
  },
  PAYER_PAUSE_FAILURES: {
    shared: true,
    help: "After this many failures on the ledger by its own fault, a payer's new payments are refused for a while; 0 never refuses them.",
    ...integer(0, 100, 3),
  },
  PAYER_PAUSE_WINDOW_SECONDS: {
    shared: true,
    help: 'The time within which these failures must happen.',
    ...integer(1, 3_600, 300),
  },
  PAYER_PAUSE_SECONDS: {
    shared: true,
    help: 'For how long the payments are refused, from the last of these failures on.',
    ...integer(1, 3_600, 60),
  },
  WATCHED_CONTRACTS: {
    shared: true,
    help: 'Contracts whose TTL `/health` reports, comma-separated; the accepted assets are always included.',
    ...watchedContracts,
  },
  REQUIRE_API_KEY: {
    shared: true,
    help: 'Whether `/verify` and `/settle` require an API key.',
    ...optionalBoolean('false on testnet, required on pubnet'),
  },
  AUTO_PROVISION_CHANNELS: {
    help: 'Whether the service creates missing channels when it starts. On pubnet that spends real money.',
    ...optionalBoolean('true on testnet, false on pubnet'),
  },
  ALLOW_HTTP: {
    help: 'Whether `RPC_URL` may be plain http to another machine; on pubnet it never may.',
    ...boolean(false),
  },
  ...uptoSettings,
  ...explorerNetworkSettings,
}
type NetworkTable = typeof networkSettings

type Rule = (parsed: ParsedSettings<NetworkTable>, id: NetworkId) => Problem | undefined

/** A rule that the first setting is not above the second, when both are valid on their own. */
const ordered =
  (low: OrderedSetting, high: OrderedSetting): Rule =>
  ({ settings, variable }) => {
    const [a, b] = [settings[low], settings[high]]
    if (a === undefined || b === undefined || a <= b) return undefined
    return { variable: variable(low), message: `(${a}) must not be above ${variable(high)} (${b})` }
  }
type OrderedSetting = Extract<keyof NetworkTable, `${string}_STROOPS` | `TIMEOUT_${string}`>

const floorIsBelowTarget: Rule = ({ settings, variable }) => {
  const [floor, target] = [settings.UPTO_TTL_FLOOR_LEDGERS, settings.UPTO_TTL_TARGET_LEDGERS]
  if (floor === undefined || target === undefined || floor < target) return undefined
  return {
    variable: variable('UPTO_TTL_FLOOR_LEDGERS'),
    message: `(${floor}) must be below ${variable('UPTO_TTL_TARGET_LEDGERS')} (${target})`,
  }
}

const previousSponsorIsAnother: Rule = ({ settings, variable }) => {
  const previous = settings.PREVIOUS_SPONSOR_SECRET
  if (previous === undefined || previous !== settings.SPONSOR_SECRET) return undefined
  return {
    variable: variable('PREVIOUS_SPONSOR_SECRET'),
    message: `must not be the seed of ${variable('SPONSOR_SECRET')}: it takes the one before it, or nothing`,
  }
}

const nextSponsorIsAnother: Rule = ({ settings, variable }) => {
  const next = settings.NEXT_SPONSOR_SECRET
  if (next === undefined) return undefined
  const same = (['SPONSOR_SECRET', 'PREVIOUS_SPONSOR_SECRET'] as const).find(
    (name) => settings[name] === next,
  )
  return (
    same && {
      variable: variable('NEXT_SPONSOR_SECRET'),
      message: `must not be the seed of ${variable(same)}: it takes the one that follows, or nothing`,
    }
  )
}

const isLoopback = (url: string): boolean =>
  /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/.test(new URL(url).hostname)

const rpcIsPrivate: Rule = ({ settings, variable }, id) => {
  const plain = (settings.RPC_URL ?? []).filter((url) => /^http:/i.test(url))
  if (plain.length === 0) return undefined
  if (id === 'stellar:pubnet') {
    return { variable: variable('RPC_URL'), message: 'must be https on the public network' }
  }
  if (settings.ALLOW_HTTP !== false || plain.every(isLoopback)) return undefined
  return {
    variable: variable('RPC_URL'),
    message: `must be https, unless it is on this machine or ${variable('ALLOW_HTTP')}=true`,
  }
}

/** An open facilitator on the public network spends real money for any caller: that must be explicit. */
const keysAreExplicit: Rule = ({ settings, problems }, id) => {
  if (id !== 'stellar:pubnet' || settings.REQUIRE_API_KEY !== undefined) return undefined
  if (problems.some(({ variable }) => variable.endsWith('REQUIRE_API_KEY'))) return undefined
  return { variable: 'PUBNET_REQUIRE_API_KEY', message: 'must be set, to true or to false' }
}

/** What to set a required variable to. */
const examples: Readonly<Record<NetworkId, Readonly<Record<string, string>>>> = {
  'stellar:testnet': {
    RPC_URL: 'such as https://soroban-testnet.stellar.org',
    SPONSOR_SECRET: 'the seed (S...) of the account that pays the fees',
  },
  'stellar:pubnet': {
    RPC_URL: 'the URL of a provider: https://developers.stellar.org/docs/data/apis/rpc/providers',
    SPONSOR_SECRET: 'the seed (S...) of the account that pays the fees',
  },
}

/** The problems of one network's settings, with an example of what is missing. */
export const withExamples = (id: NetworkId, problems: readonly Problem[]): readonly Problem[] =>
  problems.map(({ variable, message }) => {
    const example = examples[id][variable.slice(variablePrefixes[id].length)]
    return message === 'is required' && example !== undefined
      ? { variable, message: `${message}, ${example}` }
      : { variable, message }
  })

const rules: readonly Rule[] = [
  rpcIsPrivate,
  keysAreExplicit,
  ordered('INCLUSION_FEE_STROOPS', 'INCLUSION_FEE_CAP_STROOPS'),
  ordered('INCLUSION_FEE_CAP_STROOPS', 'MAX_TX_FEE_STROOPS'),
  ordered('TIMEOUT_MIN_SECONDS', 'TIMEOUT_MAX_SECONDS'),
  floorIsBelowTarget,
  previousSponsorIsAnother,
  nextSponsorIsAnother,
]

/** Problems between the settings of one network. */
export const networkProblems = (
  parsed: ParsedSettings<NetworkTable>,
  id: NetworkId,
): readonly Problem[] => rules.flatMap((rule) => rule(parsed, id) ?? [])

export function networkConfig(id: NetworkId, settings: SettingsOf<NetworkTable>): NetworkConfig {
  return {
    id,
    rpcUrls: settings.RPC_URL,
    sponsorSecret: settings.SPONSOR_SECRET,
    channelCount: settings.CHANNEL_COUNT,
    // Creating accounts on the public network spends real money, so it must be explicit.
    autoProvisionChannels: settings.AUTO_PROVISION_CHANNELS ?? id !== 'stellar:pubnet',
    assets: settings.ASSETS ?? defaultAssets(id),
    maxTxFeeStroops: settings.MAX_TX_FEE_STROOPS,
    inclusionFee: {
      floorStroops: settings.INCLUSION_FEE_STROOPS,
      capStroops: settings.INCLUSION_FEE_CAP_STROOPS,
      percentile: settings.INCLUSION_FEE_PERCENTILE,
    },
    sponsorReserve: settings.SPONSOR_RESERVE_XLM,
    minSponsorBalance: settings.MIN_SPONSOR_BALANCE_XLM,
    hourlyBudget: settings.MAX_SPONSOR_SPEND_XLM_PER_HOUR,
    maxKeyShareOfBudgetPercent: settings.MAX_KEY_SHARE_OF_BUDGET_PERCENT,
    expirationMarginLedgers: settings.EXPIRATION_MARGIN_LEDGERS,
    timeoutMinSeconds: settings.TIMEOUT_MIN_SECONDS,
    timeoutMaxSeconds: settings.TIMEOUT_MAX_SECONDS,
    payers: {
      limitToFunds: settings.PAYER_FUNDS_LIMIT,
      pause:
        settings.PAYER_PAUSE_FAILURES === 0
          ? undefined
          : {
              failures: settings.PAYER_PAUSE_FAILURES,
              windowSeconds: settings.PAYER_PAUSE_WINDOW_SECONDS,
              pauseSeconds: settings.PAYER_PAUSE_SECONDS,
            },
    },
    requireApiKey: settings.REQUIRE_API_KEY ?? false,
    watchedContracts: settings.WATCHED_CONTRACTS,
    upto: uptoConfig(settings),
    previousSponsorSecret: settings.PREVIOUS_SPONSOR_SECRET,
    nextSponsorSecret: settings.NEXT_SPONSOR_SECRET,
  }
}
