import { X402_VERSION } from '../../payments/protocol/protocol.ts'
import type { ListingContent, RawDeclaration, ReadDeclaration } from '../listing.ts'
import { type DroppedField, droppedFields } from '../outcome/codes.ts'
import type { DeclarationValidator } from '../validation/declaration-validator.ts'
import { MAX_CONTENT_BYTES, readExtension } from './bazaar-extension.ts'
import { readInput } from './declared-input.ts'
import { isJsonObject, jsonBytes, withCleanTexts } from './json-values.ts'
import { type Payee, readOptions } from './payment-options.ts'
import { quoted, reject } from './rejection.ts'
import { canonicalResource, isWeb, MAX_RESOURCE_LENGTH, readResourceUrl } from './resource-url.ts'
import { isOfTemplate, isRouteTemplate } from './route-template.ts'
import { readMetadata } from './service-metadata.ts'

/**
 * Reads what a resource declares about itself, of a payment or of an origin's 402 response: the content of its
 * listing, and which members were left out of it; or why it cannot be listed. Knows nothing of what is listed.
 * Extracts what the stock client of x402 extracts, within bounds and without hidden characters.
 */
export async function readDeclaration(
  raw: RawDeclaration,
  subject: Payee,
  validator: DeclarationValidator,
): Promise<ReadDeclaration> {
  if (raw.x402Version !== undefined && raw.x402Version !== X402_VERSION) {
    const reason = `The declaration is of x402 version ${quoted(raw.x402Version)}, expected ${X402_VERSION}.`
    return reject('bazaar_unsupported_version', reason)
  }
  if (raw.isTooLarge) return tooLarge
  const extension = readExtension(raw.bazaar)
  if (!extension.ok) return extension
  const { info, schema } = extension
  const input = readInput(info)
  if (!input.ok) return input
  const { ok: _, ...identity } = input

  if (!isJsonObject(raw.resource)) {
    return reject('bazaar_resource_invalid', 'The payment names no resource.')
  }
  const { kind } = identity
  const { allowLoopback } = validator
  const read = readResourceUrl(raw.resource['url'], { kind, allowLoopback })
  if (!read.ok) return read
  const { url } = read
  const routeTemplate = templateFor(url, extension.routeTemplate)
  const resource = canonicalResource(url, routeTemplate)
  if (resource.length > MAX_RESOURCE_LENGTH) {
    const limit = `${MAX_RESOURCE_LENGTH} characters`
    return reject('bazaar_resource_invalid', `The URL of the resource is longer than ${limit}.`)
  }
  const { metadata, dropped } = readMetadata(raw.resource)
  const { options, isExtraDropped } = readOptions(raw.accepts, subject)
  if (options.length === 0) {
    const reason = `No readable payment option pays ${subject.payTo} on ${subject.network}.`
    return reject('bazaar_extension_malformed', reason)
  }
  const extensions = readExtensionKeys(raw.extensionKeys)

  const content: ListingContent = {
    resource,
    ...identity,
    ...metadata,
    extensions: extensions.keys,
    bazaar: {
      info: withCleanTexts(info),
      schema: withCleanTexts(schema),
      ...(routeTemplate !== undefined && { routeTemplate }),
    },
    accepts: options,
  }
  if (jsonBytes(content) > MAX_CONTENT_BYTES) return tooLarge
  // Last, since it is the only check that costs something.
  const validated = await validator.validate(schema, info)
  if (!validated.ok) return validated

  const isDropped: Partial<Record<DroppedField, boolean>> = {
    routeTemplate: isGiven(extension.routeTemplate) && routeTemplate === undefined,
    extra: isExtraDropped,
    extensions: extensions.isShortened,
  }
  const names = droppedFields.filter((name) => dropped.includes(name) || isDropped[name])
  const isPaid =
    identity.method === 'GET' &&
    routeTemplate !== undefined &&
    isOfTemplate(url.pathname, routeTemplate)
  return { ok: true, content, dropped: names, ...(isPaid && { paidPath: url.pathname }) }
}

const tooLarge = reject(
  'bazaar_schema_too_large',
  `The declaration exceeds ${MAX_CONTENT_BYTES / 1_024} KiB.`,
)

const isGiven = (value: unknown): boolean => value !== undefined && value !== null

/** Undefined when it is invalid or does not fit: then the path as paid is listed. */
function templateFor(url: URL, template: unknown): string | undefined {
  if (!isWeb(url) || !isRouteTemplate(template)) return undefined
  return canonicalResource(url, template).length > MAX_RESOURCE_LENGTH ? undefined : template
}

const EXTENSION_KEY = /^[a-zA-Z0-9_-]{1,64}$/
const MAX_EXTENSION_KEYS = 32

/** The extension keys that a filter can name, sorted, with `bazaar` in any case. */
function readExtensionKeys(given: readonly string[]) {
  const others = [...new Set(given)].filter((key) => key !== 'bazaar')
  const kept = others.filter((key) => EXTENSION_KEY.test(key)).slice(0, MAX_EXTENSION_KEYS - 1)
  return { keys: [...kept, 'bazaar'].sort(), isShortened: kept.length < others.length }
}
