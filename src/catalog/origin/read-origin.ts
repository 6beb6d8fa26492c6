import type { NetworkId } from '../../platform/core/caip2.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import { isJsonObject } from '../declaration/json-values.ts'
import { itemKeyOf } from '../items/item-key.ts'
import type { ListingContent } from '../listing.ts'
import type { RejectionCode } from '../outcome/codes.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'
import type { OriginCode } from './origin-codes.ts'
import type { OriginRequest } from './origin-request.ts'
import type { PaymentRequired } from './payment-required.ts'
import { isTransientCode, readDeclared } from './read-declared.ts'

/** The finding of the check of an origin. */
export type OriginFinding =
  /** Its 402 response names a known payee, and declares the listed resource. */
  | { readonly kind: 'confirmed'; readonly payTo: string; readonly content: ListingContent }
  /** Another try may find something else. */
  | Problem<'unreachable'>
  | Problem<'refused'>

interface Problem<Kind extends string> {
  readonly kind: Kind
  readonly code: OriginCode | RejectionCode
  /** One sentence. */
  readonly reason: string
}

/** A listing, as a check of its origin needs it. */
export interface CheckedListing {
  readonly network: NetworkId
  readonly itemKey: string
  readonly content: ListingContent
  /** Payees of payments for it: the owner first, then other payees, the latest first. */
  readonly payees: readonly string[]
}

/** Compares an origin's 402 response with a listing. The first of the payees that it names counts. */
export async function readOrigin(
  { resource, accepts, extensions }: PaymentRequired,
  { network, itemKey, content: listed, payees }: CheckedListing,
  requested: Pick<OriginRequest, 'url' | 'hasPaidPath'>,
  validator: DeclarationValidator,
): Promise<OriginFinding> {
  const payTo = payees.find((payee) => accepts.some((entry) => isTo(entry, network, payee)))
  if (payTo === undefined) {
    const reason = `The 402 response of the resource names no payee on ${network} that was paid for it.`
    return { kind: 'refused', code: 'origin_names_another_payee', reason }
  }
  if (!Object.hasOwn(extensions, 'bazaar')) {
    const reason = 'The 402 response of the resource has no bazaar extension.'
    return { kind: 'refused', code: 'origin_without_bazaar', reason }
  }
  const raw = {
    // A response without a resource speaks of what was asked for.
    resource: resource ?? { url: requested.url.href },
    bazaar: extensions['bazaar'],
    extensionKeys: Object.keys(extensions),
    accepts: accepts.filter((entry) => isTo(entry, network, payTo)),
  }
  const declaration = await readDeclared(raw, { network, payTo }, validator)
  if (!declaration.ok) {
    const { code, reason } = declaration
    return { kind: isTransientCode(code) ? 'unreachable' : 'refused', code, reason }
  }
  const { content } = declaration
  const { hasPaidPath } = requested
  if (itemKeyOf(content) !== itemKey) {
    const declared = hasPaidPath ? 'another resource' : nameOf(content)
    const reason = `The 402 response declares ${declared}, expected ${nameOf(listed)}.`
    return { kind: 'refused', code: 'origin_changed_resource', reason }
  }
  return { kind: 'confirmed', payTo, content: hasPaidPath ? withoutPath(content) : content }
}

/** Servers fill in the parameters of each request, which are here those of a payer. */
function withoutPath({ bazaar, ...content }: ListingContent): ListingContent {
  const { input } = bazaar.info
  if (!isJsonObject(input)) return { ...content, bazaar }
  const { pathParams: _, ...others } = input
  return { ...content, bazaar: { ...bazaar, info: { ...bazaar.info, input: others } } }
}

/** Whether an entry of `accepts` pays this address on this network. */
export const isTo = (entry: unknown, network: string, payTo: string): boolean =>
  memberOf(entry, 'network') === network && memberOf(entry, 'payTo') === payTo

const memberOf = (entry: unknown, name: string): unknown =>
  typeof entry === 'object' && entry !== null ? Reflect.get(entry, name) : undefined

/** The addresses that the entries of `accepts` pay on this network. */
export const payeesOf = (accepts: readonly unknown[], network: string): readonly string[] => [
  ...new Set(
    accepts.flatMap((entry) => {
      const payTo: unknown = memberOf(entry, 'payTo')
      return typeof payTo === 'string' && addressKind(payTo) && isTo(entry, network, payTo)
        ? [payTo]
        : []
    }),
  ),
]

const MAX_NAME_LENGTH = 200

const nameOf = ({ kind, method, toolName, resource }: ListingContent): string =>
  (kind === 'http' ? `${method} ${resource}` : `the MCP tool ${toolName} of ${resource}`).slice(
    0,
    MAX_NAME_LENGTH,
  )
