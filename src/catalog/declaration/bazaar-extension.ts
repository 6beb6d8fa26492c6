import type { Rejection } from '../listing.ts'
import {
  hasHostileName,
  hasMember,
  isJsonObject,
  isWithinLevels,
  type JsonObject,
  jsonBytes,
} from './json-values.ts'
import { quoted, reject } from './rejection.ts'

export interface BazaarExtension {
  readonly info: JsonObject
  readonly schema: JsonObject
  readonly routeTemplate: unknown
}

const KIB = 1_024
/** A schema that is larger or deeper takes long to compile. */
const MAX_SCHEMA_BYTES = 32 * KIB
/** Limit of the whole content of a listing. */
export const MAX_CONTENT_BYTES = 64 * KIB
const MAX_LEVELS = 32

/** Checks the shape and the bounds of `extensions.bazaar`, but not what it says. */
export function readExtension(
  bazaar: unknown,
): ({ readonly ok: true } & BazaarExtension) | Rejection {
  if (!isJsonObject(bazaar)) return malformed('is not an object')
  const { info, schema, routeTemplate } = bazaar
  if (!isJsonObject(info)) return malformed('has no object "info"')
  if (!isJsonObject(schema)) return malformed('has no object "schema"')
  if (!isWithinLevels(MAX_LEVELS, schema) || jsonBytes(schema) > MAX_SCHEMA_BYTES) {
    const limits = `${MAX_SCHEMA_BYTES / KIB} KiB or ${MAX_LEVELS} levels`
    return reject('bazaar_schema_too_large', `The schema of the declaration exceeds ${limits}.`)
  }
  if (!isWithinLevels(MAX_LEVELS, info) || jsonBytes(info) > MAX_CONTENT_BYTES) {
    const limits = `${MAX_CONTENT_BYTES / KIB} KiB or ${MAX_LEVELS} levels`
    return reject('bazaar_schema_too_large', `The info of the declaration exceeds ${limits}.`)
  }
  if (hasHostileName(info) || hasHostileName(schema)) {
    return malformed('has a member named "__proto__", or with invisible characters in its name')
  }
  const reference = externalReference(schema)
  if (reference !== undefined) {
    const reason = `The schema of the declaration refers to ${quoted(reference)}; the catalog reads no other documents.`
    return reject('bazaar_schema_external_reference', reason)
  }
  return { ok: true, info, schema, routeTemplate }
}

const malformed = (problem: string): Rejection =>
  reject('bazaar_extension_malformed', `The bazaar extension ${problem}.`)

/** `$recursiveRef` is of an older draft, and so without effect; a reader of another draft might follow it. */
const references = ['$ref', '$id', '$dynamicRef', '$recursiveRef']

/** The first that leads out of the schema; members of these names count wherever they stand, as in the stock client. */
function externalReference(schema: JsonObject): unknown {
  let found: unknown
  hasMember(schema, (name, value) => {
    const isInside = typeof value === 'string' && value.startsWith('#')
    if (!references.includes(name) || isInside) return false
    found = value ?? null
    return true
  })
  return found
}
