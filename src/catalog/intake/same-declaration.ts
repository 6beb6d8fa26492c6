import { canonicalJson } from '../../platform/core/text/canonical-json.ts'
import { isJsonObject } from '../declaration/json-values.ts'
import type { ListingContent } from '../listing.ts'

/**
 * Whether a payment declares what is listed: its option is among those listed, and all that describes the resource is
 * the same. Extensions do not count, since clients add some of their own; neither do parameters in the path, since
 * servers fill in those of each request.
 */
export const isSameDeclaration = (listed: ListingContent, declared: ListingContent): boolean =>
  canonicalJson(descriptionOf(listed)) === canonicalJson(descriptionOf(declared)) &&
  hasOptions(listed, declared)

function hasOptions(listed: ListingContent, { accepts }: ListingContent): boolean {
  const known = new Set(listed.accepts.map((option) => canonicalJson(option)))
  return accepts.every((option) => known.has(canonicalJson(option)))
}

function descriptionOf({ accepts: _, extensions: __, bazaar, ...description }: ListingContent) {
  const { input } = bazaar.info
  if (!isJsonObject(input)) return { ...description, bazaar }
  const { pathParams: ___, ...everyRequest } = input
  return { ...description, bazaar: { ...bazaar, info: { ...bazaar.info, input: everyRequest } } }
}
