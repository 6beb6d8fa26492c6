import type { NetworkId } from '../../platform/core/caip2.ts'
import { canonicalJson } from '../../platform/core/text/canonical-json.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import type { PaymentOption } from '../listing.ts'
import {
  hasHostileName,
  isJsonObject,
  isWithinLevels,
  jsonBytes,
  withCleanTexts,
} from './json-values.ts'

export interface Payee {
  readonly network: NetworkId
  /** The payee of the payment, or the one that the origin names; muxed perhaps. */
  readonly payTo: string
}

export interface ReadOptions {
  readonly options: readonly PaymentOption[]
  readonly isExtraDropped: boolean
}

/** A resource has a handful: some assets, in one or two schemes. */
const MAX_OPTIONS = 32
const MAX_EXTRA_BYTES = 4_096
const MAX_EXTRA_LEVELS = 8

/** The requirements, or entries of `accepts`, that pay this payee on this network, each once. Others are left out. */
export function readOptions(accepts: readonly unknown[], payee: Payee): ReadOptions {
  const options = new Map<string, PaymentOption>()
  let isExtraDropped = false
  for (const entry of accepts) {
    const option = readOption(entry, payee)
    if (!option || !isJsonObject(entry)) continue
    isExtraDropped ||= isPresent(entry['extra']) && option.extra === undefined
    options.set(canonicalJson(option), option)
    if (options.size === MAX_OPTIONS) break
  }
  return { options: [...options.values()], isExtraDropped }
}

const SCHEME = /^[a-z][a-z0-9_-]{0,31}$/
/** The `i128` of a token has at most 39 digits. */
const AMOUNT = /^(0|[1-9]\d{0,38})$/

function readOption(entry: unknown, { network, payTo }: Payee): PaymentOption | undefined {
  if (!isJsonObject(entry) || entry['network'] !== network || entry['payTo'] !== payTo) {
    return undefined
  }
  const { scheme, asset, amount, maxTimeoutSeconds, extra } = entry
  if (typeof scheme !== 'string' || !SCHEME.test(scheme)) return undefined
  if (typeof asset !== 'string' || addressKind(asset) !== 'contract') return undefined
  if (typeof amount !== 'string' || !AMOUNT.test(amount)) return undefined
  if (typeof maxTimeoutSeconds !== 'number' || !isSeconds(maxTimeoutSeconds)) return undefined
  const kept = readExtra(extra)
  return {
    scheme,
    network,
    asset,
    payTo,
    amount,
    maxTimeoutSeconds,
    ...(kept && { extra: kept }),
  }
}

const isSeconds = (value: number): boolean =>
  Number.isInteger(value) && value > 0 && value <= 2 ** 31 - 1

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

function readExtra(extra: unknown): PaymentOption['extra'] {
  if (!isJsonObject(extra) || !isWithinLevels(MAX_EXTRA_LEVELS, extra)) return undefined
  if (hasHostileName(extra) || jsonBytes(extra) > MAX_EXTRA_BYTES) return undefined
  return withCleanTexts(extra)
}
