/** The three operations that create an account without XLM (CAP-33), or that give its reserve to another sponsor. */
import type { xdr } from '@stellar/stellar-sdk'
import { accountOf, addressOf } from './envelope.ts'
import { type Part, type Place, roleOf, type Step } from './part.ts'
import { refuse } from './refusal.ts'

/** Begins with `beginSponsoringFutureReserves`: what follows is sponsored, so nothing else may stand in between. */
export function sponsorship(
  { sponsoredId }: xdr.BeginSponsoringFutureReservesOp,
  place: Place,
): Part {
  const [second, third] = place.next
  const sponsored = addressOf(sponsoredId)
  if (third?.operation.body.type !== 'endSponsoringFutureReserves') {
    refuse('sponsorship', 'the sponsorship does not end after one operation')
  }
  if (third.source !== sponsored) refuse('sponsorship', 'another account ends the sponsorship')
  const body = second?.operation.body
  if (second && body?.type === 'createAccount') {
    return creation(body.createAccountOp, place, { sponsored, source: second.source })
  }
  if (second && body?.type === 'revokeSponsorship') {
    return handOver(body.revokeSponsorshipOp, place, { sponsored, source: second.source })
  }
  return refuse('sponsorship', `the sponsorship is for ${body?.type ?? 'nothing'}`)
}

interface Middle extends Pick<Step, 'source'> {
  /** The account whose sponsorship began. */
  readonly sponsored: string
}

/** As `provisionEnvelope` builds it. */
function creation(
  { destination, startingBalance }: xdr.CreateAccountOp,
  { sponsor, step }: Place,
  { sponsored, source }: Middle,
): Part {
  if (step.source !== sponsor || source !== sponsor) {
    refuse('operation_source', `${source} creates the account, not the sponsor`)
  }
  if (startingBalance !== 0n) {
    refuse('create_account', `the new account gets ${startingBalance} stroops`)
  }
  if (addressOf(destination) !== sponsored || sponsored === sponsor) {
    refuse('create_account', 'the new account is not the one that is sponsored')
  }
  return { kind: 'create', operations: 3, accounts: 1 }
}

/** As `handOverEnvelope` builds it: one sponsor takes over what the other one pays for. */
function handOver(
  revoked: xdr.RevokeSponsorshipOp,
  place: Place,
  { sponsored, source }: Middle,
): Part {
  const taker = place.step.source
  if (source !== sponsored)
    refuse('sponsorship', `${source} revokes, and ${sponsored} is sponsored`)
  if (revoked.type !== 'revokeSponsorshipLedgerEntry' || revoked.ledgerKey.type !== 'account') {
    refuse('sponsorship', 'what is handed over is not an account')
  }
  const roles = [roleOf(place, source), roleOf(place, taker)]
  if (!roles.includes('sponsor') || !roles.includes('recipient')) {
    refuse(
      'sponsorship',
      `${taker} takes over from ${source}: one must be the sponsor, the other a recipient`,
    )
  }
  return { kind: 'hand_over', operations: 3, accounts: taker === place.sponsor ? 1 : 0 }
}

/** A merge. The sponsor's own goes to a recipient; a channel's, or that of another sponsor, to one of the owner's sponsors. */
export function accountMerge(into: xdr.MuxedAccount, place: Place): Part {
  const destination = accountOf(into)
  const isOwn = place.step.source === place.sponsor
  const role = roleOf(place, destination)
  if (role === 'other' || (isOwn && role === 'sponsor')) {
    refuse('merge', `${place.step.source} is merged into ${destination}, which is no recipient`)
  }
  return isOwn ? { kind: 'sweep', xlm: 'all' } : { kind: 'merge' }
}
