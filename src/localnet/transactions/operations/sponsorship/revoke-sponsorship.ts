import { xdr } from '@stellar/stellar-sdk'
import { type AccountId, accountIdOf } from '../../../ledger/account-id.ts'
import { issuerOf, isValidAsset, trustlineCredit } from '../../../ledger/assets.ts'
import { isString32Valid } from '../../../ledger/data-entry.ts'
import { transferReserve } from '../../../ledger/sponsorship.ts'
import { requireAccount, storeAccount } from '../../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  reserveFailure,
  succeeded,
} from '../../operation.ts'
import { findSponsored, type SponsoredEntry } from '../../sponsored-entry.ts'

const { revokeSponsorship: result } = xdr.OperationResultTr
const outcomes = xdr.RevokeSponsorshipResult

/**
 * Transfers the reserve of an entry or a signer to the current sponsor of the source or, without one, back
 * to the owner (CAP-33).
 */
export const revokeSponsorship = (target: xdr.RevokeSponsorshipOp): OperationFrame => ({
  threshold: 'medium',
  check: () => (isValid(target) ? undefined : inner(result(outcomes.revokeSponsorshipMalformed()))),
  apply: (context) => {
    const entry = findSponsored(context.ltx, target)
    if (!entry) return failed(result(outcomes.revokeSponsorshipDoesNotExist()))
    const payer = entry.sponsor ?? entry.owner
    if (payer !== context.source) return failed(result(outcomes.revokeSponsorshipNotSponsor()))
    const next = context.sponsorships.get(context.source)
    return transfer(context, entry, next === entry.owner ? undefined : next)
  },
})

function isValid(target: xdr.RevokeSponsorshipOp): boolean {
  if (target.type === 'revokeSponsorshipSigner') return true
  const key = target.ledgerKey
  switch (key.type) {
    case 'account':
    case 'claimableBalance':
      return true
    case 'trustline':
      return isValidTrustline(key.trustLine)
    case 'offer':
      return key.offer.offerId > 0n
    case 'data':
      return key.data.dataName.length > 0 && isString32Valid(key.data.dataName)
    default:
      return false
  }
}

function isValidTrustline({ accountId, asset }: xdr.LedgerKeyTrustLine): boolean {
  if (asset.type === 'assetTypePoolShare') return true
  const credit = trustlineCredit(asset)
  if (!credit || !isValidAsset(credit)) return false
  return issuerOf(credit) !== accountIdOf(accountId)
}

function transfer(
  { ltx, ledger }: ApplyContext,
  entry: SponsoredEntry,
  next: AccountId | undefined,
): OperationOutcome {
  const owner = requireAccount(ltx, entry.owner)
  const from = entry.sponsor === undefined ? undefined : requireAccount(ltx, entry.sponsor)
  const to = next === undefined ? undefined : requireAccount(ltx, next)
  const problem = transferReserve({ reserves: entry.reserves, owner, from, to })
  if (problem) return reserveFailure(problem, () => result(outcomes.revokeSponsorshipLowReserve()))
  if (from || to) {
    for (const account of [owner, from, to]) {
      if (account) storeAccount(ltx, account, ledger.sequence)
    }
  }
  entry.assign(ltx, next, ledger.sequence)
  return succeeded(result(outcomes.revokeSponsorshipSuccess()))
}
