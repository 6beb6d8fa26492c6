import { isNetworkId, type NetworkId, variablePrefixes } from '../../platform/core/caip2.ts'
import type { Variables } from '../../settings/parser/environment.ts'
import { networkSettings } from '../../settings/sections/network-settings.ts'
import { loadServeConfig, type ServeConfig } from '../../settings/serve.ts'
import type { AssetOptions, FacilitatorOptions, NetworkOptions, StoreOptions } from './options.ts'

/**
 * The options as configuration of `svc serve`: one set of rules and defaults for both.
 * @throws ConfigError with every problem, each under the name of the variable that `svc serve` would read; `namingOptions` names the option
 */
export function readOptions({ networks, store }: FacilitatorOptions): ServeConfig {
  const served = Object.entries(networks).map(([id, network]) => {
    if (!isNetworkId(id)) throw new TypeError(`${id} is no network that can be served`)
    return [id, network] as const
  })
  if (served.length === 0) throw new TypeError('networks is empty: name at least one')
  const variables: Variables = Object.assign(
    {
      NETWORKS: served.map(([id]) => id).join(','),
      BAZAAR_ENABLED: 'false',
      EXPLORER_ENABLED: 'false',
    },
    variablesOfStore(store),
    ...served.map(([id, network]) => variablesOf(id, network)),
  )
  return loadServeConfig(variables, refuseFiles)
}

const variablesOfStore = (store: StoreOptions): Variables =>
  store.kind === 'memory'
    ? { STORE: 'memory' }
    : {
        DATABASE_URL: store.url,
        ...(store.poolSize !== undefined && { DATABASE_POOL_SIZE: String(store.poolSize) }),
      }

function variablesOf(id: NetworkId, options: NetworkOptions): Variables {
  const { rpcUrls, sponsorSecret, channels, createChannels, assets } = options
  const { uptoContract, hourlyBudgetXlm, settings = {} } = options
  const unknown = Object.keys(settings).filter((name) => !Object.hasOwn(networkSettings, name))
  if (unknown.length > 0) {
    throw new TypeError(
      `${unknown.join(', ')}: no such setting of a network (docs/configuration.md)`,
    )
  }
  const named: Record<string, string | undefined> = {
    // The program that runs the facilitator inside itself needs no key.
    REQUIRE_API_KEY: 'false',
    ...settings,
    RPC_URL: rpcUrls.join(','),
    SPONSOR_SECRET: sponsorSecret,
    ...(channels !== undefined && { CHANNEL_COUNT: String(channels) }),
    ...(createChannels !== undefined && { AUTO_PROVISION_CHANNELS: String(createChannels) }),
    ...(assets && { ASSETS: assets.map(assetSetting).join(',') }),
    ...(uptoContract !== undefined && { UPTO_CONTRACT: uptoContract }),
    ...(hourlyBudgetXlm !== undefined && { MAX_SPONSOR_SPEND_XLM_PER_HOUR: hourlyBudgetXlm }),
  }
  const prefix = variablePrefixes[id]
  return Object.fromEntries(Object.entries(named).map(([name, value]) => [prefix + name, value]))
}

function assetSetting({ contract, symbol, decimals, minAmount, maxAmount }: AssetOptions): string {
  const limits = maxAmount === undefined ? [minAmount] : [minAmount ?? 0n, maxAmount]
  return [contract, symbol, decimals, ...limits.filter((each) => each !== undefined)].join(':')
}

/** Options are values: no variable of them names a file. */
function refuseFiles(path: string): never {
  throw new TypeError(`${path} is not read: give the value itself`)
}
