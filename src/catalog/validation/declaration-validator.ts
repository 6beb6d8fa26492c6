import type { Rejection } from '../listing.ts'

/** Whether a declaration keeps its own schema. */
export type Validation = { readonly ok: true } | Rejection

/** The checks of a declaration that need more than the declaration itself. */
export interface DeclarationValidator {
  /** Whether resources on this machine may be listed: `DISCOVERY_ALLOW_LOOPBACK`. */
  readonly allowLoopback: boolean
  /**
   * Validates `info` against a JSON Schema 2020-12 that a stranger wrote. Never rejects; the codes are
   * `bazaar_schema_invalid`, `bazaar_schema_timeout`, `bazaar_info_invalid` and `bazaar_catalog_unavailable`.
   */
  validate(schema: unknown, info: unknown): Promise<Validation>
}
