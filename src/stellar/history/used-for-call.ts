/** For which of several signed calls a transaction used a nonce of the payer. */
import { Address } from '@stellar/stellar-sdk'
import { baseAddress, muxedId } from '../accounts/strkey.ts'
import { addressCredentials } from '../authorization/auth-entry.ts'
import type { Move } from './payer-transfers.ts'
import { authorizationsOf, scanEnvelope } from './scan/scan-envelope.ts'

/** What the `transfer` of an envelope moves. */
export interface Terms {
  /** `G...` or `C...`, without the id of a muxed address. */
  readonly to: string | undefined
  readonly muxedId: bigint | undefined
  readonly amount: bigint | undefined
}

export function termsOf(envelopeXdr: string): Terms {
  const { operations } = scanEnvelope(Buffer.from(envelopeXdr, 'base64'))
  const [, to, amount] = operations[0]?.call?.args ?? []
  const receiver = to?.type === 'address' ? to.value : undefined
  return {
    to: receiver && baseAddress(receiver),
    muxedId: receiver === undefined ? undefined : muxedId(receiver),
    amount: amount?.type === 'i128' ? amount.value : undefined,
  }
}

interface Signed {
  readonly payer: string
  readonly nonce: bigint
  /** Base64, our envelope. */
  readonly envelopeXdr: string
}

/**
 * Whether a transaction that used the nonce used it for the call of our envelope. A transaction can carry several entries of one
 * nonce: a stranger adds some that nobody signed, and a payer can sign two calls under one nonce. The host gives each call
 * the first entry of the payer that names this call and is not yet used, and refuses the call when that entry is not
 * valid (CAP-46-11, `require_auth_enforcing` of soroban-env-host 29). So of the entries that name our call, as many as there
 * were such calls are used, in their order. A transfer has an event, so at most as many were made as there are events of it.
 */
export function madeBy(
  { payer, nonce, envelopeXdr }: Signed,
  /** Base64. */
  transactionXdr: string,
  moves: readonly Move[],
): 'made' | 'not_made' | 'unknown' {
  const ours = entriesOf(envelopeXdr, payer).find((entry) => entry.nonce === nonce)
  if (!ours) return 'not_made'
  const entries = entriesOf(transactionXdr, payer)
  if (entries.every((entry) => entry.nonce !== nonce || entry.call === ours.call)) return 'made'
  const ofThisCall = entries.filter(({ call }) => call === ours.call)
  const usedBefore = ofThisCall.findIndex((entry) => entry.nonce === nonce)
  if (usedBefore < 0) return 'not_made'
  const terms = termsOf(envelopeXdr)
  if (moves.filter((move) => isOf(move, terms)).length > usedBefore) return 'made'
  return moves.filter((move) => perhapsOf(move, terms)).length > usedBefore ? 'unknown' : 'not_made'
}

const isOf = (move: Move, terms: Terms): boolean =>
  move.to === terms.to && move.amount === terms.amount && move.muxedId === terms.muxedId

/** Tokens of their own may leave out what SEP-41 and CAP-67 ask for. */
const perhapsOf = (move: Move, terms: Terms): boolean =>
  (!move.to || move.to === terms.to) &&
  (move.amount === undefined || move.amount === terms.amount) &&
  (move.muxedId === undefined || move.muxedId === terms.muxedId)

/** Of the payer, in the order in which the host looks for them. Entries below a call do not count: the host needs none of them. */
function entriesOf(envelopeXdr: string, payer: string) {
  return authorizationsOf(Buffer.from(envelopeXdr, 'base64')).flatMap(
    ({ credentials, rootInvocation }) => {
      const signer = addressCredentials(credentials)
      if (!signer || Address.fromScAddress(signer.address).toString() !== payer) return []
      return [{ nonce: signer.nonce, call: rootInvocation.function.toXdr('base64') }]
    },
  )
}
