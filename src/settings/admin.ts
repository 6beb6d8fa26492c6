import type { Stroops } from '../platform/core/amounts/stroops.ts'
import { type NetworkId, variablePrefixes } from '../platform/core/caip2.ts'
import { deepFreeze } from '../platform/core/deep-freeze.ts'
import { Environment, type Variables } from './parser/environment.ts'
import {
  parseSettings,
  type SettingsOf,
  settingsOrThrow,
  sharedProblems,
} from './parser/settings.ts'
import { serveSettings } from './serve.ts'
import { networkProblems, networkSettings, withExamples } from './tables/network-settings.ts'
import { likelyNetworks } from './tables/networks.ts'
import {
  type StoreConfig,
  storeConfig,
  storeProblems,
  storeSettings,
} from './tables/store-settings.ts'
import { type UptoConfig, uptoConfig, uptoSettings } from './tables/upto-settings.ts'

/** What `svc status`, `svc provision` and `svc retire` need: a part of what `svc serve` reads. */
export interface AdminConfig {
  readonly store: StoreConfig
  /** In the order of `NETWORKS`; empty when `only` is not among them. */
  readonly networks: readonly AdminNetwork[]
}

export interface AdminNetwork {
  readonly id: NetworkId
  readonly rpcUrls: readonly string[]
  /** `S...`; the channels' keys are derived from it. */
  readonly sponsorSecret: string
  readonly channelCount: number
  /** Bid per operation of the commands' transactions. */
  readonly inclusionFee: Stroops
  /** The highest bid, for a busy network. */
  readonly inclusionFeeCap: Stroops
  /** No channels are created that would leave the sponsor less than this to spend. */
  readonly minSponsorBalance: Stroops
  /** Undefined: the scheme `upto` is not served. */
  readonly upto: UptoConfig | undefined
  /** `S...`; see `NetworkConfig`. */
  readonly previousSponsorSecret: string | undefined
}

const adminSettings = { NETWORKS: serveSettings.NETWORKS, ...storeSettings }

const adminNetworkSettings = {
  RPC_URL: networkSettings.RPC_URL,
  SPONSOR_SECRET: networkSettings.SPONSOR_SECRET,
  CHANNEL_COUNT: networkSettings.CHANNEL_COUNT,
  ALLOW_HTTP: networkSettings.ALLOW_HTTP,
  INCLUSION_FEE_STROOPS: networkSettings.INCLUSION_FEE_STROOPS,
  INCLUSION_FEE_CAP_STROOPS: networkSettings.INCLUSION_FEE_CAP_STROOPS,
  MIN_SPONSOR_BALANCE_XLM: networkSettings.MIN_SPONSOR_BALANCE_XLM,
  ...uptoSettings,
}
/** The settings in whose rules with other settings these commands take part. */
const settingsWithRules = [
  'RPC_URL',
  'INCLUSION_FEE_STROOPS',
  'INCLUSION_FEE_CAP_STROOPS',
  'UPTO_TTL_FLOOR_LEDGERS',
  'PREVIOUS_SPONSOR_SECRET',
  'NEXT_SPONSOR_SECRET',
] as const satisfies readonly (keyof typeof adminNetworkSettings)[]

/**
 * Reads the environment of the admin commands; of one network only when `only` names it. Settings that
 * only `svc serve` uses may be wrong or missing. Throws `ConfigError` with every problem.
 */
export function loadAdminConfig(
  variables: Variables,
  only?: NetworkId,
  readFile?: (path: string) => string,
): AdminConfig {
  const environment = new Environment(variables, readFile)
  const common = parseSettings(adminSettings, (name, options) => environment.read(name, options))
  const ids = common.settings.NETWORKS ?? likelyNetworks(variables)
  const perNetwork = ids
    .filter((id) => only === undefined || id === only)
    .map((id) => parseNetwork(environment, id))
  const settings = settingsOrThrow(common, [
    ...common.problems,
    ...storeProblems(common),
    ...perNetwork.flatMap(({ problems }) => problems),
    ...(ids.length === 0 ? sharedProblems(adminNetworkSettings, environment) : []),
  ])
  return deepFreeze({
    store: storeConfig(settings),
    networks: perNetwork.map(({ config }) => config()),
  })
}

function parseNetwork(environment: Environment, id: NetworkId) {
  const read = (name: string, options: { secret: boolean; shared: boolean }) =>
    environment.readFor(variablePrefixes[id], name, options)
  const parsed = parseSettings(adminNetworkSettings, read)
  const relevant = new Set<string>(settingsWithRules.map((name) => parsed.variable(name)))
  const problems = [
    ...withExamples(id, parsed.problems),
    ...networkProblems(parseSettings(networkSettings, read), id).filter(({ variable }) =>
      relevant.has(variable),
    ),
  ]
  return { problems, config: () => networkOf(id, settingsOrThrow(parsed, problems)) }
}

const networkOf = (
  id: NetworkId,
  settings: SettingsOf<typeof adminNetworkSettings>,
): AdminNetwork => ({
  id,
  rpcUrls: settings.RPC_URL,
  sponsorSecret: settings.SPONSOR_SECRET,
  channelCount: settings.CHANNEL_COUNT,
  inclusionFee: settings.INCLUSION_FEE_STROOPS,
  inclusionFeeCap: settings.INCLUSION_FEE_CAP_STROOPS,
  minSponsorBalance: settings.MIN_SPONSOR_BALANCE_XLM,
  upto: uptoConfig(settings),
  previousSponsorSecret: settings.PREVIOUS_SPONSOR_SECRET,
})
