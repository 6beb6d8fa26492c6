import type { NetworkId } from '../platform/core/caip2.ts'
import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import { loadSettings } from './load-settings.ts'
import type { Variables } from './parser/environment.ts'
import { type MembersOf, membersOf } from './rows/row.ts'
import { serviceSettings } from './rows/service.ts'
import { storeSettings } from './rows/store.ts'
import { networkSettings } from './sections/network-settings.ts'
import { otherSponsorSettings, sponsorSettings } from './sections/sponsor-settings.ts'
import { type StoreConfig, storeConfig, storeProblems } from './sections/store-settings.ts'
import { type UptoConfig, uptoConfig, uptoSettings } from './sections/upto-settings.ts'

/** The configuration of `svc status`, `svc provision` and `svc retire`: a part of what `svc serve` reads. */
export interface AdminConfig {
  readonly store: StoreConfig
  /** The networks in the order of `NETWORKS`; empty when `only` is not among them. */
  readonly networks: readonly AdminNetwork[]
}

export interface AdminNetwork extends Omit<MembersOf<typeof adminNetworkSettings>, 'upto'> {
  readonly id: NetworkId
  /** Undefined: the scheme `upto` is not served. */
  readonly upto: UptoConfig | undefined
}

const adminNetworkSettings = {
  RPC_URL: networkSettings.RPC_URL,
  RPC_HEADERS: networkSettings.RPC_HEADERS,
  ...sponsorSettings,
  CHANNEL_COUNT: networkSettings.CHANNEL_COUNT,
  ALLOW_HTTP: networkSettings.ALLOW_HTTP,
  INCLUSION_FEE_STROOPS: networkSettings.INCLUSION_FEE_STROOPS,
  INCLUSION_FEE_CAP_STROOPS: networkSettings.INCLUSION_FEE_CAP_STROOPS,
  MIN_SPONSOR_BALANCE_XLM: networkSettings.MIN_SPONSOR_BALANCE_XLM,
  ...uptoSettings,
  ...otherSponsorSettings,
}

/**
 * Reads the environment of the admin commands; of one network only when `only` names it. Settings that
 * only `svc serve` uses may be wrong or missing. Throws `ConfigError` with every problem.
 */
export function loadAdminConfig(
  variables: Variables,
  only?: NetworkId,
  readFile?: (path: string) => string,
): AdminConfig {
  const { settings, networks } = loadSettings(
    {
      table: { NETWORKS: serviceSettings.NETWORKS, ...storeSettings },
      networkTable: adminNetworkSettings,
      problems: storeProblems,
    },
    { variables, readFile, only },
  )
  return deepFreeze({
    store: storeConfig(settings),
    networks: networks.map(({ id, settings: own }) => {
      const members = membersOf(adminNetworkSettings, own)
      return { ...members, id, upto: uptoConfig(members.upto) }
    }),
  })
}
