import { variablePrefixes } from '../../../../../platform/core/caip2.ts'
import { canonicalHash } from '../../../../../platform/core/text/canonical-json.ts'
import { podTemplateOf } from '../../../alerts/pod-template.ts'
import type { DesiredFacilitator } from '../../desired/desired.ts'
import { partsOf } from '../../spec/parts.ts'
import { secretFilesOf } from '../../spec/secret-files.ts'
import { secretHash } from './deployment.ts'
import { environmentOf } from './environment.ts'

/**
 * Settings of a facilitator process that decide which payments it accepts and what it may spend, not whether it
 * reaches its database, its networks and its sponsor. The definition has checked their values.
 */
const withoutEffect: ReadonlySet<string> = new Set([
  'BAZAAR_ENABLED',
  'EXPIRATION_MARGIN_LEDGERS',
  'INCLUSION_FEE_CAP_STROOPS',
  'INCLUSION_FEE_PERCENTILE',
  'INCLUSION_FEE_STROOPS',
  'LOG_LEVEL',
  'MAX_KEY_SHARE_OF_BUDGET_PERCENT',
  'MAX_SPONSOR_SPEND_XLM_PER_HOUR',
  'MAX_TX_FEE_STROOPS',
  'MIN_SPONSOR_BALANCE_XLM',
  'PAYER_FUNDS_LIMIT',
  'PAYER_PAUSE_FAILURES',
  'PAYER_PAUSE_SECONDS',
  'PAYER_PAUSE_WINDOW_SECONDS',
  'PUBLIC_URL',
  'RATE_LIMIT_PER_KEY_PER_MINUTE',
  'RATE_LIMIT_PER_MINUTE',
  'REQUIRE_API_KEY',
  'SERVICE_FEE_PER_SETTLEMENT_USD',
  'SETTLEMENT_RETENTION_DAYS',
  'SPONSOR_RESERVE_XLM',
  'TIMEOUT_MAX_SECONDS',
  'TIMEOUT_MIN_SECONDS',
  'TRUSTED_PROXY_HOPS',
])

const prefixes = Object.values(variablePrefixes)

const isWithoutEffect = (variable: string): boolean => {
  const prefix = prefixes.find((each) => each !== '' && variable.startsWith(each)) ?? ''
  return withoutEffect.has(variable.slice(prefix.length))
}

/** SHA-256 of everything that the result of a preflight depends on, but for the state of the database and the ledger. */
export function preflightHash(desired: DesiredFacilitator): string {
  const { facilitator, networks, image } = desired
  const [part] = partsOf(facilitator)
  if (!part) throw new TypeError('every Facilitator has facilitator pods')
  const pools = networks.map(({ pool }) => pool)
  const secrets = secretHash(secretFilesOf(part.name, facilitator, pools), desired)
  const settings = Object.entries(environmentOf(part.name, desired)).filter(
    ([variable]) => !isWithoutEffect(variable),
  )
  return canonicalHash([
    image.reference,
    Object.fromEntries(settings),
    secrets,
    podTemplateOf(facilitator),
  ])
}
