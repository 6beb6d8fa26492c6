import type { NetworkId } from '../../platform/core/caip2.ts'
import type { GuardedFetcher } from '../../platform/http/guarded-fetch/guarded-fetch.ts'
import { readReceivable } from '../../stellar/accounts/receivable.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import { readResourceUrl } from '../declaration/resource-url.ts'
import type { ListingContent } from '../listing.ts'
import type { RejectionCode } from '../outcome/codes.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'
import { askOrigin } from './ask-origin.ts'
import type { OriginCode } from './origin-codes.ts'
import { originRequest } from './origin-request.ts'
import type { PaymentRequired } from './payment-required.ts'
import { readDeclared } from './read-declared.ts'
import { isTo } from './read-origin.ts'

export interface ValidationDeps {
  readonly fetcher: Pick<GuardedFetcher, 'fetch'>
  readonly validator: DeclarationValidator
  /** RPC clients of the networks that are served. */
  readonly rpcs: ReadonlyMap<NetworkId, Pick<StellarRpc, 'ledgerEntries'>>
}

/** The checks in the order in which they run; the first that fails is the last that runs. */
export const checkNames = [
  'url',
  'answer',
  'payment_required',
  'requirements',
  'payee',
  'bazaar',
  'declaration',
  'resource',
  'receivable',
] as const
type CheckName = (typeof checkNames)[number]

type ValidationCode = OriginCode | RejectionCode | 'payee_cannot_receive'

interface ValidationCheck {
  readonly name: CheckName
  readonly ok: boolean
  readonly code?: ValidationCode
  /** The reason for a person. */
  readonly reason?: string
}

export interface ResourceValidation {
  readonly url: string
  readonly outcome: 'listable' | 'refused'
  readonly checks: readonly ValidationCheck[]
  /** The content that would be listed. */
  readonly listing?: ListingContent
}

interface Failure {
  readonly name: CheckName
  readonly code: ValidationCode
  readonly reason: string
}

const OTHER_METHOD = 'For a resource with another method, send method beside url.'

/** A resource names few payees; each costs the validation of its schema. */
const MAX_PAYEES = 4

/**
 * Runs the checks of a resource's origin without a payment and without a listing: says what would be listed, or what
 * would be refused and why. Writes nothing.
 */
export async function validateResource(
  deps: ValidationDeps,
  { url, method }: { readonly url: string; readonly method?: string },
  signal?: AbortSignal,
): Promise<ResourceValidation> {
  const found = await examine(deps, url, method ?? 'GET', signal)
  if ('name' in found) {
    const { name, code } = found
    // Many routes are free or absent for the methods that they do not sell.
    const mayBeOther = method === undefined && name === 'payment_required'
    const reason = mayBeOther ? `${found.reason} ${OTHER_METHOD}` : found.reason
    const passed = checkNames.slice(0, checkNames.indexOf(name))
    const checks = [
      ...passed.map((each) => ({ name: each, ok: true })),
      { name, ok: false, code, reason },
    ]
    return { url, outcome: 'refused', checks }
  }
  const checks = checkNames.map((name) => ({ name, ok: true }))
  return { url, outcome: 'listable', checks, listing: found }
}

async function examine(
  deps: ValidationDeps,
  text: string,
  method: string,
  signal: AbortSignal | undefined,
): Promise<ListingContent | Failure> {
  const { fetcher, validator } = deps
  const { allowLoopback } = validator
  const read = readResourceUrl(text, { kind: 'http', allowLoopback })
  if (!read.ok) return { name: 'url', code: read.code, reason: read.reason }
  const { url } = read
  const request = originRequest({ resource: url.href, method, bazaar: { info: {}, schema: {} } })
  // Here the caller says what the query is, not a declaration.
  const answer = await askOrigin(fetcher, { ...request, url }, signal)
  if (answer.kind !== 'payment_required') {
    const { code, reason } = answer
    return { name: failedCheck[code] ?? 'answer', code, reason }
  }
  const payees = payeesOf(answer.required, [...deps.rpcs.keys()])
  if (payees.length === 0) {
    const networks = [...deps.rpcs.keys()].join(' or ')
    const reason = `The 402 response has no payment option on ${networks}.`
    return { name: 'payee', code: 'origin_names_another_payee', reason }
  }
  if (!Object.hasOwn(answer.required.extensions, 'bazaar')) {
    const reason = 'The 402 response of the resource has no bazaar extension.'
    return { name: 'bazaar', code: 'origin_without_bazaar', reason }
  }
  let first: ListingContent | undefined
  for (const payee of payees) {
    const content = await declaredTo(deps, answer.required, payee, url, method)
    if ('name' in content) return content
    first ??= content
  }
  return first ?? { name: 'payee', code: 'origin_names_another_payee', reason: 'No payee.' }
}

const failedCheck: Partial<Record<ValidationCode, CheckName>> = {
  bazaar_resource_unsafe: 'url',
  origin_not_payment_required: 'payment_required',
  origin_requirements_unreadable: 'requirements',
}

interface Payee {
  readonly network: NetworkId
  readonly payTo: string
}

function payeesOf({ accepts }: PaymentRequired, networks: readonly NetworkId[]): readonly Payee[] {
  const payees = new Map<string, Payee>()
  for (const entry of accepts) {
    if (typeof entry !== 'object' || entry === null) continue
    const payTo = Reflect.get(entry, 'payTo')
    const network = networks.find((each) => each === Reflect.get(entry, 'network'))
    if (network && typeof payTo === 'string') payees.set(`${network} ${payTo}`, { network, payTo })
    if (payees.size === MAX_PAYEES) break
  }
  return [...payees.values()]
}

/** The content that would be listed for one payee. */
async function declaredTo(
  { validator, rpcs }: ValidationDeps,
  { resource, accepts, extensions }: PaymentRequired,
  payee: Payee,
  url: URL,
  method: string,
): Promise<ListingContent | Failure> {
  const { network, payTo } = payee
  const raw = {
    resource: resource ?? { url: url.href },
    bazaar: extensions['bazaar'],
    extensionKeys: Object.keys(extensions),
    accepts: accepts.filter((entry) => isTo(entry, network, payTo)),
  }
  const declaration = await readDeclared(raw, payee, validator)
  if (!declaration.ok) {
    return { name: 'declaration', code: declaration.code, reason: declaration.reason }
  }
  const { content } = declaration
  if (!isFor(content, url, method)) {
    const declared = `${content.kind === 'http' ? content.method : 'MCP tool'} ${content.resource}`
    const reason = `The 402 response of ${method} ${url.origin}${url.pathname} declares ${declared}.`
    return { name: 'resource', code: 'origin_changed_resource', reason }
  }
  const rpc = rpcs.get(network)
  const options = content.accepts.map(({ asset }) => ({ asset, payTo }))
  // A network that does not answer is no fault of the resource.
  const receivable = rpc ? await readReceivable(rpc, options).catch(() => []) : []
  const place = receivable.indexOf(false)
  const option = options[place]
  if (!option) return content
  const reason = `${payTo} cannot receive ${option.asset} on ${network}: the account or its trustline is missing.`
  return { name: 'receivable', code: 'payee_cannot_receive', reason }
}

/** Whether a declaration is of the URL that was asked: its path, or a template that the path fills. */
function isFor(
  { kind, method, resource, bazaar }: ListingContent,
  url: URL,
  asked: string,
): boolean {
  if (kind === 'mcp') return resource === url.origin + url.pathname
  if (method !== asked) return false
  if (bazaar.routeTemplate === undefined) return resource === url.origin + url.pathname
  const declared = resource.slice(url.origin.length).split('/')
  const path = url.pathname.split('/')
  return (
    resource.startsWith(`${url.origin}/`) &&
    declared.length === path.length &&
    declared.every((segment, place) => segment.includes(':') || segment === path[place])
  )
}
