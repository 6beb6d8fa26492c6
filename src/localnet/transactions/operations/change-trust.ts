import { xdr } from '@stellar/stellar-sdk'
import { accountFlags } from '../../ledger/account.ts'
import type { AccountId } from '../../ledger/account-id.ts'
import { isCredit, issuerOf, isValidAsset, trustlineAsset } from '../../ledger/assets.ts'
import { trustlineKey } from '../../ledger/keys.ts'
import { type Trustline, trustlineFlags, trustlineLiabilities } from '../../ledger/trustline.ts'
import {
  accountExists,
  loadAccount,
  loadTrustline,
  requireAccount,
  storeAccount,
  storeTrustline,
} from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  createEntryWithPossibleSponsorship,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  removeEntryWithPossibleSponsorship,
  reserveFailure,
  succeeded,
} from '../operation.ts'

const { changeTrust: result } = xdr.OperationResultTr
const outcomes = xdr.ChangeTrustResult
const LINE_COST = { reserves: 1, subEntry: true } as const
type Credit = Parameters<typeof issuerOf>[0]

/** Undefined for pool shares: localnet has no liquidity pools. */
export function changeTrust({ line, limit }: xdr.ChangeTrustOp): OperationFrame | undefined {
  if (line.type === 'assetTypePoolShare') return undefined
  return {
    threshold: 'medium',
    check: ({ source }) =>
      limit < 0n || !isCredit(line) || !isValidAsset(line) || issuerOf(line) === source
        ? inner(result(outcomes.changeTrustMalformed()))
        : undefined,
    apply: (context) => {
      if (!isCredit(line)) return failed(result(outcomes.changeTrustMalformed()))
      const present = loadTrustline(context.ltx, context.source, trustlineAsset(line))
      if (!present) return openLine(context, line, limit)
      return changeLine(context, { asset: line, line: present, limit })
    },
  }
}

function openLine(context: ApplyContext, asset: Credit, limit: bigint): OperationOutcome {
  const { ltx, ledger, source } = context
  if (limit === 0n) return failed(result(outcomes.changeTrustInvalidLimit()))
  const flags = flagsFor(context, issuerOf(asset))
  if (flags === undefined) return failed(result(outcomes.changeTrustNoIssuer()))
  const owner = requireAccount(ltx, source)
  const charged = createEntryWithPossibleSponsorship(context, LINE_COST, owner)
  if (charged.problem) {
    return reserveFailure(charged.problem, () => result(outcomes.changeTrustLowReserve()))
  }
  storeAccount(ltx, owner, ledger.sequence)
  const line: Trustline = {
    account: source,
    asset: trustlineAsset(asset),
    balance: 0n,
    limit,
    flags,
    ext: xdr.TrustLineEntryExt.v0(),
    sponsor: charged.sponsor,
    entryExtended: false,
  }
  storeTrustline(ltx, line, ledger.sequence)
  return succeeded(result(outcomes.changeTrustSuccess()))
}

/** Flags of a new trustline, from the issuer's; undefined when the issuer does not exist. */
function flagsFor({ ltx }: ApplyContext, issuerId: AccountId): number | undefined {
  const issuer = loadAccount(ltx, issuerId)
  if (!issuer) return undefined
  const authorized = (issuer.flags & accountFlags.authRequired) === 0
  const clawback = (issuer.flags & accountFlags.clawbackEnabled) !== 0
  return (
    (authorized ? trustlineFlags.authorized : 0) | (clawback ? trustlineFlags.clawbackEnabled : 0)
  )
}

function changeLine(
  context: ApplyContext,
  { asset, line, limit }: { asset: Credit; line: Trustline; limit: bigint },
): OperationOutcome {
  const { ltx, ledger } = context
  if (limit < line.balance + trustlineLiabilities(line).buying) {
    return failed(result(outcomes.changeTrustInvalidLimit()))
  }
  if (limit === 0n) return removeLine(context, line)
  if (!accountExists(ltx, issuerOf(asset))) {
    return failed(result(outcomes.changeTrustNoIssuer()))
  }
  line.limit = limit
  storeTrustline(ltx, line, ledger.sequence)
  return succeeded(result(outcomes.changeTrustSuccess()))
}

function removeLine(context: ApplyContext, line: Trustline): OperationOutcome {
  const { ltx, ledger, source } = context
  const owner = requireAccount(ltx, source)
  removeEntryWithPossibleSponsorship(context, LINE_COST, { owner, sponsor: line.sponsor })
  storeAccount(ltx, owner, ledger.sequence)
  ltx.write(trustlineKey(source, line.asset), undefined)
  return succeeded(result(outcomes.changeTrustSuccess()))
}
