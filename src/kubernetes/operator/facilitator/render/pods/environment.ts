import { variablePrefixes } from '../../../../../platform/core/caip2.ts'
import { perNetworkSettings, processSettings } from '../../../../../settings/rows/processes.ts'
import type { ResourceField, SettingsTable } from '../../../../../settings/rows/row.ts'
import type { ChannelPool } from '../../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../../crd/facilitator.ts'
import { ports } from '../../../../crd/names/pods.ts'
import type { DesiredFacilitator, DesiredNetwork } from '../../desired/desired.ts'
import { type PartName, partsOf } from '../../spec/parts.ts'
import { publicUrls } from '../../spec/public-urls.ts'
import { SECRETS_PATH, type SecretFile } from '../../spec/secret-files.ts'
import { sponsorVariables } from '../../spec/sponsor-files.ts'
import { serviceName } from '../service.ts'

/** Has to be less than the pod's grace period minus the pause before SIGTERM; see deployment.ts. */
const SHUTDOWN_GRACE_MS = 30_000
/**
 * Sellers keep connections to a pod that is to stop; in this time most send another request over each. And a busy
 * kube-proxy may send new connections for longer than the pause before SIGTERM.
 */
const SHUTDOWN_KEEP_ALIVE_MS = 10_000

/** By variable; one that is undefined is not set. */
type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment of a part's pods, by variable; docs/configuration.md describes them. The number of channels
 * is not part of it: a pool grows and shrinks without new pods.
 */
export function environmentOf(
  part: PartName,
  files: readonly SecretFile[],
  desired: DesiredFacilitator,
): Readonly<Record<string, string>> {
  const variables: Environment = {
    ...common(desired.networks.map(({ pool }) => pool)),
    ...parts[part](desired),
    ...Object.fromEntries(
      files.flatMap(({ variable, file }) =>
        variable === undefined ? [] : [[variable, `${SECRETS_PATH}/${file}`]],
      ),
    ),
  }
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

/** The variables that every part gets and that are no field of the Facilitator. */
const common = (pools: readonly ChannelPool[]): Environment => ({
  ADMIN_PORT: String(ports.admin),
  SHUTDOWN_GRACE_MS: String(SHUTDOWN_GRACE_MS),
  SHUTDOWN_KEEP_ALIVE_MS: String(SHUTDOWN_KEEP_ALIVE_MS),
  NETWORKS: pools.map(({ spec: { network } }) => network).join(','),
  ...Object.assign({}, ...pools.map(rpcSettings)),
})

const parts: Readonly<Record<PartName, (desired: DesiredFacilitator) => Environment>> = {
  Facilitator: ({ facilitator, networks }) => ({
    ...fieldVariables(processSettings.facilitator, facilitator.spec),
    PORT: String(ports.http),
    PUBLIC_URL: publicUrls(facilitator)?.url,
    ...Object.assign({}, ...networks.map((network) => paymentVariables(facilitator, network))),
  }),
  Catalog: ({ facilitator: { spec } }) => ({
    ...fieldVariables(processSettings.catalog, spec),
    PORT: String(ports.http),
  }),
  Explorer: ({ facilitator, networks }) => ({
    ...fieldVariables(processSettings.explorer, facilitator.spec),
    EXPLORER_PORT: String(ports.http),
    CATALOG_URL: catalogUrl(facilitator),
    PUBLIC_URL: publicUrls(facilitator)?.url,
    ...Object.assign({}, ...networks.map(explorerVariables)),
  }),
}

/** The Service of the catalog pods; undefined without them. */
function catalogUrl(facilitator: Facilitator): string | undefined {
  const catalog = partsOf(facilitator).find(({ name }) => name === 'Catalog')
  const { namespace = 'default' } = facilitator.metadata
  return catalog && `http://${serviceName(facilitator, catalog.component)}.${namespace}.svc`
}

const rpcSettings = ({ spec }: ChannelPool): Environment =>
  prefixed(spec.network, {
    // With a Secret it is a file.
    RPC_URL: spec.rpc.urls?.join(','),
    ALLOW_HTTP: String(spec.rpc.allowHttp),
  })

const paymentVariables = (
  facilitator: Facilitator,
  { settings, pool }: DesiredNetwork,
): Environment =>
  prefixed(pool.spec.network, {
    ...fieldVariables(perNetworkSettings, settings),
    ...sponsorVariables(facilitator, pool),
    // Only the operator creates channels.
    AUTO_PROVISION_CHANNELS: 'false',
    MIN_SPONSOR_BALANCE_XLM: pool.spec.minSponsorBalanceXlm,
    ASSETS: listed(settings.assets?.map(assetText)),
    WATCHED_CONTRACTS: listed(
      settings.watchedContracts?.map(({ alias, contract }) => `${alias}=${contract}`),
    ),
    REQUIRE_API_KEY: String(settings.access === 'ApiKeys'),
    UPTO_CONTRACT: settings.upto?.contract,
  })

/** The explorer recognises payments through the contract that the facilitator pods settle with, and through others. */
const explorerVariables = ({ settings, pool }: DesiredNetwork): Environment =>
  prefixed(pool.spec.network, {
    UPTO_CONTRACT: settings.upto?.contract,
    OTHER_UPTO_CONTRACTS: listed(settings.otherUptoContracts),
    WATCHED_SACS: listed(settings.watchedAssets?.map((asset) => (asset === 'All' ? 'all' : asset))),
  })

type Asset = NonNullable<DesiredNetwork['settings']['assets']>[number]

function assetText({ contract, symbol, decimals, minAmount, maxAmount }: Asset): string {
  // The largest amount comes fifth, so it needs a smallest one before it.
  const min = minAmount ?? (maxAmount === undefined ? undefined : '0')
  return [contract, symbol, decimals, min, maxAmount].filter((part) => part !== undefined).join(':')
}

const listed = (items: readonly string[] | undefined): string | undefined =>
  items === undefined || items.length === 0 ? undefined : items.join(',')

const prefixed = (network: ChannelPool['spec']['network'], variables: Environment): Environment =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      `${variablePrefixes[network]}${name}`,
      value,
    ]),
  )

/** The variables of the settings that fields of an object set. The definitions of an earlier version may lack fields. */
const fieldVariables = (table: SettingsTable, object: object): Environment =>
  Object.fromEntries(
    Object.entries(table).flatMap(([variable, { crd }]) =>
      crd ? [[variable, textOf(crd, valueAt(object, crd.path)) ?? crd.unset]] : [],
    ),
  )

function textOf({ text }: ResourceField, value: unknown): string | undefined {
  if (value === undefined) return undefined
  // The row gives the field its type and this function, and the API server checks the type.
  if (text) return text(value as never)
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.join(',')
  return String(value)
}

const valueAt = (object: object, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), object)

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
