/**
 * The terms of the scheme `upto` in the profile `authority-v1`: the payer signs a ceiling, and the facilitator's
 * settlement authority, which the payer names in what it signs, settles at most that.
 */
import { z } from 'zod'

export const UPTO_SCHEME = 'upto'

/** Tells this profile from others of the same scheme: no `upto` on Stellar is standardized yet. */
export const UPTO_PROFILE = 'authority-v1'

/** The arguments of `settle`, in order; the payer signs all but `from` and `actual`. */
export const settleArguments = [
  'token',
  'from',
  'to',
  'ceiling',
  'expirationLedger',
  'nonce',
  'actual',
  'authority',
] as const

/** `extra` of the payment requirements, which `/supported` also returns. */
export const uptoExtraSchema = z.looseObject({
  areFeesSponsored: z.literal(true),
  profile: z.literal(UPTO_PROFILE),
  /** Settlement contract, `C...`. */
  uptoContract: z.string(),
  /** Settlement authority, `G...`. */
  authority: z.string(),
})

/** The payload of the buyer's client. `transaction` decides; the other members must say the same. */
export const uptoPayloadSchema = z.looseObject({
  /**
   * Base64 envelope of one call of `settle`, with the authorization entries of the payer alone. Its actual amount is
   * any from zero to the ceiling: the facilitator puts the amount of the settlement in its place.
   */
  transaction: z.string(),
  /** Base units, decimal: the ceiling. */
  maxAmount: z.string(),
  /** The last ledger of the authorization: of the call, and of the entry's signature. */
  expirationLedger: z.number(),
  /** 32 bytes, 64 lower-case hex digits. */
  nonce: z.string(),
})
export type UptoPayload = z.output<typeof uptoPayloadSchema>
