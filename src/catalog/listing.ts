import type { NetworkId } from '../platform/core/caip2.ts'
import type { DroppedField, RejectionCode, ResultCode } from './outcome/codes.ts'

export type { RawDeclaration } from '../payments/protocol/declaration.ts'

/** One entry of `accepts` in a 402 response, as the catalog shows it. */
export interface PaymentOption {
  readonly scheme: string
  readonly network: NetworkId
  /** Strkey of the token contract. */
  readonly asset: string
  readonly payTo: string
  /** Base units, decimal. */
  readonly amount: string
  readonly maxTimeoutSeconds: number
  readonly extra?: Readonly<Record<string, unknown>>
}

/** The declaration of a resource about itself, after the catalog's rules; `content` of the version history. */
export interface ListingContent {
  /** Canonical: origin and path, or origin and route template; an `mcp:` URL as declared. */
  readonly resource: string
  readonly kind: 'http' | 'mcp'
  /** Present with `http`. */
  readonly method?: string
  /** Present with `mcp`. */
  readonly toolName?: string
  readonly description?: string
  readonly mimeType?: string
  readonly serviceName?: string
  readonly tags?: readonly string[]
  readonly iconUrl?: string
  /** Keys of the extensions in its 402 response, sorted; `bazaar` is always one of them. */
  readonly extensions: readonly string[]
  readonly bazaar: Readonly<{
    info: Readonly<Record<string, unknown>>
    schema: Readonly<Record<string, unknown>>
    routeTemplate?: string
  }>
  /** All on the listing's network and to its owner. */
  readonly accepts: readonly PaymentOption[]
}

/** The result of reading a declaration, before the existing listings are looked at. */
export type ReadDeclaration =
  | {
      readonly ok: true
      readonly content: ListingContent
      /** The dropped fields in the order of `droppedFields`. */
      readonly dropped: readonly DroppedField[]
      /** The path of the declared URL, where it is one of a route template and asked with GET: of a payment, the payer's text. */
      readonly paidPath?: string
    }
  | Rejection

export interface Rejection {
  readonly ok: false
  readonly code: RejectionCode
  /** One sentence. */
  readonly reason: string
}

/** An outcome of a declaration, as `EXTENSION-RESPONSES` tells it. */
export interface DeclarationOutcome {
  readonly status: 'success' | 'processing' | 'rejected'
  readonly code: ResultCode | RejectionCode
  /** Present when rejected: one sentence. */
  readonly reason?: string
  /** Present when a listing exists. */
  readonly listingId?: string
  /** The listing's current one. */
  readonly version?: number
  readonly dropped: readonly DroppedField[]
}

/** The last outcome of a listing: of a settlement, or of a check of its origin. */
export interface ListingOutcome {
  readonly phase: 'verify' | 'settle' | 'origin'
  readonly status: 'success' | 'processing' | 'rejected'
  readonly code: string
  readonly reason?: string
  /** ISO 8601. */
  readonly at: string
}
