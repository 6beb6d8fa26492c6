import type { NetworkId } from '../core/caip2.ts'
import type { Stroops } from '../core/stroops.ts'
import { deepFreeze } from './deep-freeze.ts'
import { Environment, type Variables } from './environment.ts'
import { networkPrefixes, networkProblems, networkSettings } from './network-settings.ts'
import { serveSettings } from './serve.ts'
import { parseSettings, type SettingsOf, settingsOrThrow } from './settings.ts'
import { type StoreConfig, storeConfig, storeProblems, storeSettings } from './store-settings.ts'

/** What `svc status`, `svc provision` and `svc retire` need: a part of what `svc serve` reads. */
export interface OperatorConfig {
  readonly store: StoreConfig
  /** In the order of `NETWORKS`; empty when the one asked for is not among them. */
  readonly networks: readonly OperatorNetwork[]
}

export interface OperatorNetwork {
  readonly id: NetworkId
  readonly rpcUrls: readonly string[]
  /** `S...`; the channels' keys are derived from it. */
  readonly sponsorSecret: string
  readonly channelCount: number
  /** Bid per operation of the operator's transactions. */
  readonly inclusionFee: Stroops
  /** The most that may be bid, should the network be busy. */
  readonly inclusionFeeCap: Stroops
}

const operatorSettings = { NETWORKS: serveSettings.NETWORKS, ...storeSettings }

const operatorNetworkSettings = {
  RPC_URL: networkSettings.RPC_URL,
  SPONSOR_SECRET: networkSettings.SPONSOR_SECRET,
  CHANNEL_COUNT: networkSettings.CHANNEL_COUNT,
  ALLOW_HTTP: networkSettings.ALLOW_HTTP,
  INCLUSION_FEE_STROOPS: networkSettings.INCLUSION_FEE_STROOPS,
  INCLUSION_FEE_CAP_STROOPS: networkSettings.INCLUSION_FEE_CAP_STROOPS,
}
/** Those that rules between settings name. */
const judgedTogether = [
  'RPC_URL',
  'INCLUSION_FEE_STROOPS',
  'INCLUSION_FEE_CAP_STROOPS',
] as const satisfies readonly (keyof typeof operatorNetworkSettings)[]

/**
 * Reads the environment of the operator's commands, of one network only when it is named. What
 * serves payments alone may be wrong or missing. Throws `ConfigError` with every problem.
 */
export function loadOperatorConfig(
  variables: Variables,
  only?: NetworkId,
  readFile?: (path: string) => string,
): OperatorConfig {
  const environment = new Environment(variables, readFile)
  const common = parseSettings(operatorSettings, (name, options) => environment.read(name, options))
  const perNetwork = (common.settings.NETWORKS ?? [])
    .filter((id) => only === undefined || id === only)
    .map((id) => parseNetwork(environment, id))
  const settings = settingsOrThrow(common, [
    ...common.problems,
    ...storeProblems(common),
    ...perNetwork.flatMap(({ problems }) => problems),
  ])
  return deepFreeze({
    store: storeConfig(settings),
    networks: perNetwork.map(({ config }) => config()),
  })
}

function parseNetwork(environment: Environment, id: NetworkId) {
  const read = (name: string, options: { secret: boolean; shared: boolean }) =>
    environment.readFor(networkPrefixes[id], name, options)
  const parsed = parseSettings(operatorNetworkSettings, read)
  const concerned = new Set<string>(judgedTogether.map((name) => parsed.variable(name)))
  const problems = [
    ...parsed.problems,
    ...networkProblems(parseSettings(networkSettings, read), id).filter(({ variable }) =>
      concerned.has(variable),
    ),
  ]
  return { problems, config: () => networkOf(id, settingsOrThrow(parsed, problems)) }
}

const networkOf = (
  id: NetworkId,
  settings: SettingsOf<typeof operatorNetworkSettings>,
): OperatorNetwork => ({
  id,
  rpcUrls: settings.RPC_URL,
  sponsorSecret: settings.SPONSOR_SECRET,
  channelCount: settings.CHANNEL_COUNT,
  inclusionFee: settings.INCLUSION_FEE_STROOPS,
  inclusionFeeCap: settings.INCLUSION_FEE_CAP_STROOPS,
})
