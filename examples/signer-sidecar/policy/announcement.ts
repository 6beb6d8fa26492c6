/** The one text that is signed: that an account submits payments for a facilitator at a base URL. */
import { createHash } from 'node:crypto'
import type { Policy } from '../config.ts'
import { refuse } from './refusal.ts'

/** SEP-53: no preimage of a transaction's hash begins with it, so a signed message is never a transaction. */
const PREFIX = 'Stellar Signed Message:\n'
/** An explorer does not accept an announcement that is valid for longer. */
const MAX_VALID_MS = 7 * 86_400_000

const format =
  /^This account submits payments for an x402 facilitator\.\nfacilitator: (?<url>\S+)\nnetwork: (?<network>\S+)\nsigner: (?<signer>G[A-Z2-7]{55})\nexpires: (?<expires>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{3})?Z)$/

/** Throws `Refusal`. Returns the hash to sign. @param now Unix ms */
export function examineAnnouncement(
  message: string,
  expected: {
    readonly policy: Policy
    readonly sponsor: string
    readonly network: string
    readonly now: number
  },
): Uint8Array {
  const { url = '', network, signer, expires = '' } = format.exec(message)?.groups ?? {}
  if (url === '') refuse('message', 'the message is no announcement')
  if (!expected.policy.announcements.includes(url)) {
    refuse('announcement_url', `${url} is not in announcements`)
  }
  if (network !== expected.network) refuse('announcement_network', `it is for ${network}`)
  if (signer !== expected.sponsor) refuse('announcement_signer', `it is of ${signer}`)
  const validMs = Date.parse(expires) - expected.now
  if (!(validMs > 0 && validMs <= MAX_VALID_MS)) {
    const clock = new Date(expected.now).toISOString()
    refuse('announcement_expiry', `it expires at ${expires}, the clock of the sidecar is ${clock}`)
  }
  return new Uint8Array(
    createHash('sha256')
      .update(PREFIX + message, 'utf8')
      .digest(),
  )
}
