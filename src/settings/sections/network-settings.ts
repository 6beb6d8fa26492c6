import type { AcceptedAsset } from '../../payments/protocol/policy.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import { integer, isHttpUrl, list } from '../rows/kinds.ts'
import { networkSwitches, paymentSettings } from '../rows/payments.ts'
import { type MembersOf, membersOf, type SettingsOf, settingsTable } from '../rows/row.ts'
import { assets, defaultAssets } from './assets.ts'
import { explorerNetworkSettings } from './explorer-network.ts'
import { rpcHeaders } from './rpc-headers.ts'
import { otherSponsorSettings, sponsorSettings } from './sponsor-settings.ts'
import { type UptoConfig, uptoConfig, uptoSettings } from './upto-settings.ts'
import { watchedContracts } from './watched-contracts.ts'

export const networkSettings = settingsTable({
  RPC_URL: {
    member: 'rpcUrls',
    help: 'Stellar RPC endpoints, comma-separated; when one fails or lags behind the others, the service uses another. Plain http only to this machine. A URL may hold a key of the provider.',
    secret: true,
    ...list('http(s) URLs', isHttpUrl),
  },
  RPC_HEADERS: {
    help: 'Headers of the requests to these endpoints, such as a key of the provider: one in a line, after the origin that gets it.',
    secret: true,
    ...rpcHeaders,
  },
  ...sponsorSettings,
  CHANNEL_COUNT: {
    shared: true,
    help: 'Channel accounts; each sends one settlement at a time.',
    ...integer(1, 1_000, 8),
  },
  ASSETS: {
    member: false,
    help: 'Tokens accepted in payment, comma-separated; MIN and MAX limit one payment, in base units.',
    schema: assets.optional(),
    fallback: "the network's USDC",
    range: '`CONTRACT:SYMBOL:DECIMALS[:MIN[:MAX]]`',
  },
  ...paymentSettings,
  WATCHED_CONTRACTS: {
    shared: true,
    help: 'Contracts whose TTL `/health` reports, comma-separated; the accepted assets are always included.',
    ...watchedContracts,
  },
  ...networkSwitches,
  ...uptoSettings,
  ...otherSponsorSettings,
  ...explorerNetworkSettings,
})
type NetworkTable = typeof networkSettings
type Members = MembersOf<NetworkTable>

/** How one network is served. */
export interface NetworkConfig extends Omit<Members, 'payers' | 'upto'> {
  readonly id: NetworkId
  /** Whether missing channel accounts are created at start. */
  readonly autoProvisionChannels: boolean
  readonly assets: readonly AcceptedAsset[]
  /** Whether `/verify` and `/settle` require an API key. */
  readonly requireApiKey: boolean
  /** Rules for each payer. */
  readonly payers: Members['payers'] & {
    /** When new payments of a payer are refused for a while; never when undefined. */
    readonly pause?: PauseRule | undefined
  }
  /** Undefined: the scheme `upto` is not served. */
  readonly upto?: UptoConfig | undefined
}

interface PauseRule {
  /** Failures on the ledger by the payer's own fault. */
  readonly failures: number
  readonly windowSeconds: number
  readonly pauseSeconds: number
}

export function networkConfig(id: NetworkId, settings: SettingsOf<NetworkTable>): NetworkConfig {
  const members = membersOf(networkSettings, settings)
  return {
    ...members,
    id,
    // Creating accounts on the public network spends real money, so it must be explicit.
    autoProvisionChannels: settings.AUTO_PROVISION_CHANNELS ?? id !== 'stellar:pubnet',
    assets: settings.ASSETS ?? defaultAssets(id),
    requireApiKey: settings.REQUIRE_API_KEY ?? false,
    payers: { ...members.payers, pause: pauseRule(settings) },
    upto: uptoConfig(members.upto),
  }
}

const pauseRule = ({
  PAYER_PAUSE_FAILURES: failures,
  PAYER_PAUSE_WINDOW_SECONDS: windowSeconds,
  PAYER_PAUSE_SECONDS: pauseSeconds,
}: SettingsOf<NetworkTable>): PauseRule | undefined =>
  failures === 0 ? undefined : { failures, windowSeconds, pauseSeconds }
