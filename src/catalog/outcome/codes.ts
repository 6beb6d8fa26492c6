/** The outcome of a declaration: the codes of `EXTENSION-RESPONSES`, of a listing's last outcome and of metrics. */

/** A payment declares a resource twice: `/verify` previews what `/settle` would record. */
export type CatalogPhase = 'verify' | 'settle'

/** Why a declaration is not listed. */
const rejectionCodes = [
  'bazaar_extension_malformed',
  'bazaar_schema_invalid',
  'bazaar_schema_external_reference',
  'bazaar_schema_too_large',
  'bazaar_schema_timeout',
  'bazaar_info_invalid',
  'bazaar_info_unsupported',
  'bazaar_resource_invalid',
  'bazaar_resource_unsafe',
  'bazaar_owner_conflict',
  'bazaar_self_payment',
  'bazaar_settlement_reused',
  'bazaar_unsupported_version',
  'bazaar_rate_limited',
  'bazaar_catalog_unavailable',
] as const
export type RejectionCode = (typeof rejectionCodes)[number]

/** A declaration that is listed, or on its way. */
const resultCodes = [
  'awaiting_settlement',
  'cataloging_in_progress',
  'cataloged',
  'recorded',
  'awaiting_origin_verification',
] as const
export type ResultCode = (typeof resultCodes)[number]

/** Members that the catalog leaves out, since they break its rules; the rest is listed. */
export const droppedFields = [
  'serviceName',
  'tags',
  'iconUrl',
  'description',
  'mimeType',
  'routeTemplate',
  'extra',
  'extensions',
] as const
export type DroppedField = (typeof droppedFields)[number]
