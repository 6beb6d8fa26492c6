import { xdr } from '@stellar/stellar-sdk'
import { type Account, accountFlags } from '../../ledger/account.ts'
import { accountIdOf, publicKeyOf } from '../../ledger/account-id.ts'
import { isString32Valid } from '../../ledger/data-entry.ts'
import { accountExists, requireAccount, storeAccount } from '../../ledger/typed-entries.ts'
import {
  type ApplyContext,
  type CheckContext,
  createEntryWithPossibleSponsorship,
  failed,
  inner,
  type OperationFrame,
  type OperationOutcome,
  removeEntryWithPossibleSponsorship,
  reserveFailure,
  succeeded,
} from '../operation.ts'

const { setOptions: result } = xdr.OperationResultTr
const outcomes = xdr.SetOptionsResult
type Problem = () => xdr.SetOptionsResult

/** An immutable account cannot change any of them. */
const ALL_FLAGS = 0b1111
const MAX_WEIGHT = 255
const MAX_SIGNERS = 20
const SIGNER_COST = { reserves: 1, subEntry: true } as const

/** Changes of signers and thresholds need the high threshold, all others the medium one. */
export function setOptions(options: xdr.SetOptionsOp): OperationFrame {
  const { masterWeight, lowThreshold, medThreshold, highThreshold, signer } = options
  const signing = [masterWeight, lowThreshold, medThreshold, highThreshold, signer]
  return {
    threshold: signing.some((it) => it !== null) ? 'high' : 'medium',
    check: (context) => {
      const found = rules.find(({ isBroken }) => isBroken(options, context))
      return found && inner(result(found.code()))
    },
    apply: (context) => applyOptions(context, options),
  }
}

interface Rule {
  readonly isBroken: (options: xdr.SetOptionsOp, context: CheckContext) => boolean
  readonly code: Problem
}

const flagsOf = ({ setFlags, clearFlags }: xdr.SetOptionsOp) => ({
  set: setFlags ?? 0,
  clear: clearFlags ?? 0,
})

/** In stellar-core's order. */
const rules: readonly Rule[] = [
  {
    isBroken: (options) => ((flagsOf(options).set | flagsOf(options).clear) & ~ALL_FLAGS) !== 0,
    code: outcomes.setOptionsUnknownFlag,
  },
  {
    isBroken: (options) => (flagsOf(options).set & flagsOf(options).clear) !== 0,
    code: outcomes.setOptionsBadFlags,
  },
  {
    isBroken: ({ masterWeight, lowThreshold, medThreshold, highThreshold }) =>
      [masterWeight, lowThreshold, medThreshold, highThreshold].some(
        (it) => (it ?? 0) > MAX_WEIGHT,
      ),
    code: outcomes.setOptionsThresholdOutOfRange,
  },
  {
    isBroken: ({ signer }, { source }) =>
      signer !== null &&
      (signer.weight > MAX_WEIGHT ||
        (signer.key.type === 'signerKeyTypeEd25519' &&
          signer.key.ed25519.equals(publicKeyOf(source).ed25519)) ||
        (signer.key.type === 'signerKeyTypeEd25519SignedPayload' &&
          signer.key.ed25519SignedPayload.payload.length === 0)),
    code: outcomes.setOptionsBadSigner,
  },
  {
    isBroken: ({ homeDomain }) => homeDomain !== null && !isString32Valid(homeDomain),
    code: outcomes.setOptionsInvalidHomeDomain,
  },
]

function applyOptions(context: ApplyContext, options: xdr.SetOptionsOp): OperationOutcome {
  const { ltx, ledger, source } = context
  const account = requireAccount(ltx, source)
  const problem = changeInflation(context, account, options) ?? changeFlags(account, options)
  if (problem) return failed(result(problem()))
  const [master, low, medium, high] = account.thresholds
  account.thresholds = [
    options.masterWeight ?? master,
    options.lowThreshold ?? low,
    options.medThreshold ?? medium,
    options.highThreshold ?? high,
  ]
  account.homeDomain = options.homeDomain ?? account.homeDomain
  const refusal = options.signer && changeSigner(context, account, options.signer)
  if (refusal) return refusal
  storeAccount(ltx, account, ledger.sequence)
  return succeeded(result(outcomes.setOptionsSuccess()))
}

function changeInflation(
  { ltx }: ApplyContext,
  account: Account,
  { inflationDest }: xdr.SetOptionsOp,
): Problem | undefined {
  if (!inflationDest) return undefined
  if (!accountExists(ltx, accountIdOf(inflationDest))) return outcomes.setOptionsInvalidInflation
  account.inflationDestination = inflationDest
  return undefined
}

function changeFlags(account: Account, options: xdr.SetOptionsOp): Problem | undefined {
  const { set, clear } = flagsOf(options)
  const immutable = (account.flags & accountFlags.authImmutable) !== 0
  if (immutable && ((set | clear) & ALL_FLAGS) !== 0) return outcomes.setOptionsCantChange
  account.flags = (account.flags & ~clear) | set
  // Clawback requires that the issuer can revoke authorization (CAP-35).
  const clawback = (account.flags & accountFlags.clawbackEnabled) !== 0
  const revocable = (account.flags & accountFlags.authRevocable) !== 0
  return clawback && !revocable ? outcomes.setOptionsAuthRevocableRequired : undefined
}

/** Adds or updates a signer, or with weight 0 removes it; undefined on success. */
function changeSigner(
  context: ApplyContext,
  account: Account,
  { key, weight }: xdr.Signer,
): OperationOutcome | undefined {
  const present = account.signers.find((it) => it.key.equals(key))
  const others = account.signers.filter((it) => it !== present)
  if (weight === 0) {
    if (present)
      removeEntryWithPossibleSponsorship(context, SIGNER_COST, {
        owner: account,
        sponsor: present.sponsor,
      })
    account.signers = others
    return undefined
  }
  if (present) {
    account.signers = account.signers.map((it) => (it === present ? { ...it, weight } : it))
    return undefined
  }
  if (others.length >= MAX_SIGNERS) return failed(result(outcomes.setOptionsTooManySigners()))
  const { problem, sponsor } = createEntryWithPossibleSponsorship(context, SIGNER_COST, account)
  if (problem) return reserveFailure(problem, () => result(outcomes.setOptionsLowReserve()))
  const added = { key, weight, ...(sponsor && { sponsor }) }
  account.signers = [...others, added].sort((a, b) => Buffer.compare(a.key.toXdr(), b.key.toXdr()))
  return undefined
}
