import { isNetworkId } from '../../../platform/core/caip2.ts'
import { cleanLine, cutTo, hasHidden } from '../../../platform/core/text/hostile-text.ts'
import { storableText } from '../../../platform/database/storable-text.ts'
import { addressKind, baseAddress } from '../../../stellar/accounts/strkey.ts'
import type { Registration } from '../../store/registry/registrations.ts'

/** One page of a facilitator's `/discovery/resources`. */
export interface CatalogPage {
  /** How many items the page has, readable or not. */
  readonly items: number
  /** Absent: the catalog does not say. */
  readonly total?: number
  readonly registrations: readonly Registration[]
}

const MAX_RESOURCE = 2_048
const MAX_NAME = 64
const MAX_DESCRIPTION = 500
/** Payment options of one item. */
const MAX_OPTIONS = 32

/** Schemes of a resource: a page may link to it. */
const SCHEMES = ['https:', 'http:', 'mcp:']

/** Reads a page; undefined when it is none. Items and options that do not follow their rule are left out. */
export function readCatalogPage(body: Uint8Array): CatalogPage | undefined {
  const answer = parse(body)
  const items = memberOf(answer, 'items')
  if (!Array.isArray(items)) return undefined
  const total = memberOf(memberOf(answer, 'pagination'), 'total')
  return {
    items: items.length,
    ...(Number.isSafeInteger(total) && { total: total as number }),
    registrations: items.flatMap(registrationsOf),
  }
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch {
    return undefined
  }
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined

/** Words of a stranger about one resource, for each address that it is paid to. */
function registrationsOf(item: unknown): Registration[] {
  const resource = resourceOf(memberOf(item, 'resource'))
  const accepts = memberOf(item, 'accepts')
  if (resource === undefined || !Array.isArray(accepts)) return []
  const words = {
    resource,
    serviceName: textOf(memberOf(item, 'serviceName'), MAX_NAME),
    description: textOf(memberOf(item, 'description'), MAX_DESCRIPTION),
  }
  return accepts.slice(0, MAX_OPTIONS).flatMap((option) => {
    const [network, payTo] = [memberOf(option, 'network'), memberOf(option, 'payTo')]
    if (!isNetworkId(network) || typeof payTo !== 'string' || !addressKind(payTo)) return []
    return [{ ...words, network, payTo: baseAddress(payTo) }]
  })
}

function resourceOf(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.length > MAX_RESOURCE || hasHidden(value)) return undefined
  const url = URL.parse(value)
  return url && SCHEMES.includes(url.protocol) ? url.href : undefined
}

function textOf(value: unknown, maxLength: number): string | null {
  if (typeof value !== 'string') return null
  const text = storableText(
    cutTo(maxLength, cleanLine(value.slice(0, 4 * maxLength))),
    maxLength,
  ).trim()
  return text === '' ? null : text
}
