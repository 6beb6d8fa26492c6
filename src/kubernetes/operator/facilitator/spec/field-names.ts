import { variablePrefixes } from '../../../../platform/core/caip2.ts'
import { perNetworkSettings, processSettings } from '../../../../settings/rows/processes.ts'
import type { SettingsTable } from '../../../../settings/rows/row.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { databaseFields, type FieldNames } from '../../reporting/in-fields.ts'

type Names = readonly (readonly [variable: string, field: string])[]

/** Fields of `spec` whose variable is no row with a field, because it is a Secret or made of several. */
const otherFields: Readonly<Record<string, string>> = {
  ...databaseFields,
  DATABASE_DIRECT_URL: 'the URL of spec.database.directSecretRef',
  EXPLORER_DATABASE_URL: 'the URL of spec.explorer.databaseReplicaSecretRef',
  API_KEY_SHA256: 'spec.apiKeys.digestsSecretRef',
  SEARCH_EMBEDDINGS_API_KEY: 'spec.catalog.embeddings.secretRef',
  NETWORKS: 'spec.networks',
}

/** The same of an entry of `spec.networks`. */
const otherNetworkFields: Readonly<Record<string, string>> = {
  ASSETS: 'assets',
  WATCHED_CONTRACTS: 'watchedContracts',
  REQUIRE_API_KEY: 'access',
  UPTO_CONTRACT: 'upto.contract',
  OTHER_UPTO_CONTRACTS: 'otherUptoContracts',
  WATCHED_SACS: 'watchedAssets',
}

/** Fields of the ChannelPool. */
const poolFields: Readonly<Record<string, string>> = {
  RPC_URL: 'rpc.urls',
  ALLOW_HTTP: 'rpc.allowHttp',
  MIN_SPONSOR_BALANCE_XLM: 'minSponsorBalanceXlm',
  SPONSOR_SECRET: 'sponsor.secretRef',
  SPONSOR_SIGNER: 'sponsor',
  SPONSOR_ADDRESS: 'sponsor.address',
}

const rowsOf = (table: SettingsTable): Names =>
  Object.entries(table).flatMap(([name, { crd }]) => (crd ? [[name, crd.path] as const] : []))

const networkNames: Names = [...rowsOf(perNetworkSettings), ...Object.entries(otherNetworkFields)]

/** The fields that set the variables of the pods of a Facilitator. */
export function fieldNames(
  { spec }: Facilitator,
  pools: ReadonlyMap<string, ChannelPool>,
): FieldNames {
  const [only, ...others] = spec.networks
  const anywhere = others.length === 0 ? `[${only?.channelPool}]` : '[]'
  const ofNetworks = [...pools].flatMap(
    ([
      pool,
      {
        spec: { network },
      },
    ]): Names => {
      const prefixed = (names: Names, fieldOf: (path: string) => string): Names =>
        names.map(([name, path]) => [`${variablePrefixes[network]}${name}`, fieldOf(path)])
      return [
        ...prefixed(networkNames, (path) => `spec.networks[${pool}].${path}`),
        ...prefixed(Object.entries(poolFields), (path) => `spec.${path} of ChannelPool ${pool}`),
      ]
    },
  )
  const ofSpec = Object.values(processSettings)
    .flatMap(rowsOf)
    .map(([name, path]) => [name, `spec.${path}`] as const)
  return new Map([
    ...networkNames.map(([name, path]) => [name, `spec.networks${anywhere}.${path}`] as const),
    ...ofSpec,
    ...Object.entries(otherFields),
    ...ofNetworks,
  ])
}
