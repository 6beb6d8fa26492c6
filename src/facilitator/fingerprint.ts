import { canonicalHash } from '../core/canonical-json.ts'
import type { PaymentRequest } from '../x402/protocol.ts'

/** SHA-256, hex, of everything the request says: two requests with one fingerprint are repeats. */
export const fingerprintOf = (request: PaymentRequest): string => canonicalHash(request)
