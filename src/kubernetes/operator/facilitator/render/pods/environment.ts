import { variablePrefixes } from '../../../../../platform/core/caip2.ts'
import type { ChannelPool } from '../../../../crd/channel-pool.ts'
import type { Facilitator } from '../../../../crd/facilitator.ts'
import { durationMs } from '../../../../crd/fields/duration.ts'
import type { DesiredFacilitator, DesiredNetwork } from '../../desired/desired.ts'
import type { PartName } from '../../spec/parts.ts'
import { publicUrls } from '../../spec/public-urls.ts'
import { SECRETS_PATH, secretFilesOf } from '../../spec/secret-files.ts'

/** Ports of every pod. */
export const ports = { http: 8_080, admin: 9_090 } as const

/** Less than the pod's grace period minus the pause before SIGTERM; see deployment.ts. */
const SHUTDOWN_GRACE_MS = 30_000
/**
 * Sellers keep connections to a pod that is to stop; in this time most send another request over each. And a busy
 * kube-proxy may send new connections for longer than the pause before SIGTERM.
 */
const SHUTDOWN_KEEP_ALIVE_MS = 10_000

type Environment = Readonly<Record<string, string | undefined>>

/**
 * The environment of a part's pods, by variable; docs/configuration.md describes them. The number of channels
 * is not part of it: a pool grows and shrinks without new pods.
 */
export function environmentOf(
  part: PartName,
  desired: DesiredFacilitator,
): Readonly<Record<string, string>> {
  const { facilitator, networks } = desired
  const pools = networks.map(({ pool }) => pool)
  const files = secretFilesOf(part, facilitator, pools).map(({ variable, file }) => [
    variable,
    `${SECRETS_PATH}/${file}`,
  ])
  const variables: Environment = {
    ...common(facilitator, pools),
    ...parts[part](desired),
    ...Object.fromEntries(files),
  }
  return Object.fromEntries(
    Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined),
  )
}

const common = ({ spec }: Facilitator, pools: readonly ChannelPool[]): Environment => ({
  ADMIN_PORT: String(ports.admin),
  SHUTDOWN_GRACE_MS: String(SHUTDOWN_GRACE_MS),
  SHUTDOWN_KEEP_ALIVE_MS: String(SHUTDOWN_KEEP_ALIVE_MS),
  TRUSTED_PROXY_HOPS: String(spec.route?.trustedProxyHops ?? 0),
  RATE_LIMIT_PER_MINUTE: String(spec.rateLimitPerMinute),
  LOG_LEVEL: spec.logLevel.toLowerCase(),
  DATABASE_POOL_SIZE: spec.database.poolSize?.toString(),
  OTEL_EXPORTER_OTLP_ENDPOINT: spec.tracing?.endpoint,
  NETWORKS: pools.map(({ spec: { network } }) => network).join(','),
  ...Object.assign({}, ...pools.map(rpcSettings)),
})

const parts: Readonly<Record<PartName, (desired: DesiredFacilitator) => Environment>> = {
  Facilitator: ({ facilitator, facilitator: { spec }, networks }) => ({
    PORT: String(ports.http),
    PUBLIC_URL: publicUrls(facilitator)?.url,
    // Only these pods mount the digests of the keys. Absent under definitions of an earlier version, which an
    // operator may run with: the pods have the same default, and would not start with other text than a number.
    RATE_LIMIT_PER_KEY_PER_MINUTE: spec.rateLimitPerKeyPerMinute?.toString(),
    SETTLEMENT_RETENTION_DAYS: spec.settlementRetentionDays?.toString(),
    SERVICE_FEE_PER_SETTLEMENT_USD: spec.serviceFeePerSettlementUsd,
    BAZAAR_ENABLED: String(spec.catalog.enabled),
    ...Object.assign({}, ...networks.map(paymentSettings)),
  }),
  Catalog: ({ facilitator: { spec } }) => {
    const { quotas, embeddings } = spec.catalog
    return {
      PORT: String(ports.http),
      BAZAAR_MAX_NEW_LISTINGS_PER_OWNER_PER_HOUR: String(quotas.newListingsPerOwnerPerHour),
      BAZAAR_MAX_NEW_LISTINGS_PER_PAYER_PER_HOUR: String(quotas.newListingsPerPayerPerHour),
      BAZAAR_MAX_NEW_LISTINGS_PER_HOUR: String(quotas.newListingsPerHour),
      SEARCH_EMBEDDINGS_URL: embeddings?.url,
      SEARCH_EMBEDDINGS_MODEL: embeddings?.model,
    }
  },
  Explorer: ({ facilitator, networks }) => ({
    EXPLORER_PORT: String(ports.http),
    EXPLORER_RETENTION_DAYS: facilitator.spec.explorer.retentionDays?.toString(),
    FACILITATOR_REGISTRY: listed(facilitator.spec.explorer.registry),
    ...Object.assign({}, ...networks.map(explorerSettings)),
  }),
}

const rpcSettings = ({ spec }: ChannelPool): Environment =>
  prefixed(spec.network, {
    RPC_URL: spec.rpc.urls.join(','),
    ALLOW_HTTP: String(spec.rpc.allowHttp),
  })

function paymentSettings({ settings, pool }: DesiredNetwork): Environment {
  const { fees, timeouts, sponsor, payers } = settings
  return prefixed(pool.spec.network, {
    // Only the operator creates channels.
    AUTO_PROVISION_CHANNELS: 'false',
    ASSETS: listed(settings.assets?.map(assetText)),
    MAX_TX_FEE_STROOPS: fees.maxTxFeeStroops,
    INCLUSION_FEE_STROOPS: fees.inclusion.floorStroops,
    INCLUSION_FEE_CAP_STROOPS: fees.inclusion.capStroops,
    INCLUSION_FEE_PERCENTILE: fees.inclusion.percentile,
    SPONSOR_RESERVE_XLM: sponsor.reserveXlm,
    MIN_SPONSOR_BALANCE_XLM: pool.spec.minSponsorBalanceXlm,
    MAX_SPONSOR_SPEND_XLM_PER_HOUR: sponsor.spendXlmPerHour,
    MAX_KEY_SHARE_OF_BUDGET_PERCENT: sponsor.maxKeySharePercent?.toString(),
    EXPIRATION_MARGIN_LEDGERS: String(settings.expirationMarginLedgers),
    TIMEOUT_MIN_SECONDS: secondsOf(timeouts.min),
    TIMEOUT_MAX_SECONDS: secondsOf(timeouts.max),
    PAYER_FUNDS_LIMIT: String(payers.limitToFunds),
    PAYER_PAUSE_FAILURES: String(payers.pauseAfterFailures),
    PAYER_PAUSE_WINDOW_SECONDS: String(payers.failureWindowSeconds),
    PAYER_PAUSE_SECONDS: String(payers.pauseSeconds),
    WATCHED_CONTRACTS: listed(
      settings.watchedContracts?.map(({ alias, contract }) => `${alias}=${contract}`),
    ),
    REQUIRE_API_KEY: String(settings.access === 'ApiKeys'),
    ...uptoSettings(settings.upto),
  })
}

const uptoSettings = (upto: DesiredNetwork['settings']['upto']): Environment =>
  upto === undefined
    ? {}
    : {
        UPTO_CONTRACT: upto.contract,
        UPTO_KEEPER_ENABLED: String(upto.keeper.enabled),
        UPTO_AUTO_RESTORE: String(upto.keeper.autoRestore),
        UPTO_TTL_FLOOR_LEDGERS: String(upto.keeper.floorLedgers),
        UPTO_TTL_TARGET_LEDGERS: String(upto.keeper.targetLedgers),
      }

/** The explorer recognises payments through the contract that the facilitator pods settle with, and through others. */
const explorerSettings = ({ settings, pool }: DesiredNetwork): Environment =>
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

const secondsOf = (duration: string): string => String(durationMs(duration) / 1_000)

const prefixed = (network: ChannelPool['spec']['network'], variables: Environment): Environment =>
  Object.fromEntries(
    Object.entries(variables).map(([name, value]) => [
      `${variablePrefixes[network]}${name}`,
      value,
    ]),
  )
