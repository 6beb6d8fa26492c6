/**
 * Whether a transaction may be applied, short of its operations (stellar-core's commonValid). Lists
 * of checks in the order of its result codes; the first problem is the one told.
 */

import type { Account } from '../ledger/account.ts'
import { availableBalance } from '../ledger/reserves.ts'
import { MAX_INT64 } from '../ledger/trustline.ts'
import { loadAccount } from '../ledger/typed-entries.ts'
import { type Problem, problem } from './diagnostics.ts'
import { isSoroban, isSorobanOperation, type Transaction } from './envelope.ts'
import type { ValidityInput } from './facts.ts'
import { innerInclusionFee, minInclusionFee } from './fees.ts'
import { identityOf, type SignatureChecker, signersOf } from './signature-checker.ts'
import { footprintIsUnique, resourceLimits } from './soroban-limits.ts'

type Check = (facts: ValidityInput) => Problem | undefined

/** How far the checks came: from `sequence` on the transaction uses its sequence number up. */
export type Stage = 'rejected' | 'sequence' | 'valid'

export interface Validity {
  readonly stage: Stage
  readonly problem?: Problem
}

export function commonValid(facts: ValidityInput, signatures: SignatureChecker): Validity {
  const first = firstProblem(beforeAccount, facts)
  if (first) return { stage: 'rejected', problem: first }
  const account = loadAccount(facts.view, facts.transaction.source)
  if (!account) return { stage: 'rejected', problem: problem('txNoAccount') }
  if (isBadSequence(facts, account)) return { stage: 'rejected', problem: problem('txBadSeq') }
  for (const check of withAccount) {
    const found = check(facts, account, signatures)
    if (found) return { stage: 'sequence', problem: found }
  }
  return { stage: 'valid' }
}

function firstProblem(checks: readonly Check[], facts: ValidityInput): Problem | undefined {
  for (const check of checks) {
    const found = check(facts)
    if (found) return found
  }
  return undefined
}

const extraSignersAreSound: Check = ({ transaction }) => {
  const { extraSigners } = transaction.conditions
  const [first, second] = extraSigners
  const twice = first && second && first.equals(second)
  const empty = extraSigners.some(
    (signer) =>
      signer.type === 'signerKeyTypeEd25519SignedPayload' &&
      signer.ed25519SignedPayload.payload.length === 0,
  )
  return twice || empty ? problem('txMalformed') : undefined
}

const hasOperations: Check = ({ transaction }) =>
  transaction.operations.length === 0 ? problem('txMissingOperation') : undefined

const sorobanIsAlone: Check = ({ transaction: { operations } }) =>
  operations.length > 1 && operations.some(isSorobanOperation) ? problem('txMalformed') : undefined

const onlySorobanDeclaresResources: Check = ({ transaction }) =>
  transaction.soroban && !isSoroban(transaction) ? problem('txMalformed') : undefined

/** A call's receiver could not tell a memo from what the contract was told (protocol 25). */
const callHasNoMemo: Check = ({ transaction: { xdr, operations } }) => {
  const [operation] = operations
  if (operation?.body.type !== 'invokeHostFunction') return undefined
  const muxed = [xdr.sourceAccount, operation.sourceAccount].some(
    (account) => account?.type === 'keyTypeMuxedEd25519',
  )
  if (xdr.memo.type === 'memoNone' && !muxed) return undefined
  return problem('txSorobanInvalid', {
    type: 'sceContext',
    code: 'scecInvalidInput',
    message: 'Soroban transactions are not allowed to use memo or muxed source account',
  })
}

const resourcesAreWithinLimits: Check = ({ transaction }) => {
  const { soroban } = transaction
  if (!soroban) return undefined
  for (const check of resourceLimits) {
    const diagnostic = check(soroban, transaction)
    if (diagnostic) return problem('txSorobanInvalid', diagnostic)
  }
  return undefined
}

const bidCoversResourceFee: Check = ({ transaction, paysItself }) => {
  const { soroban, fee } = transaction
  // In a fee bump the outer fee stands for both parts (protocol 23).
  if (!soroban || !paysItself || soroban.resourceFee <= fee) return undefined
  return problem('txSorobanInvalid', {
    type: 'sceStorage',
    code: 'scecExceededLimit',
    message: 'transaction `sorobanData.resourceFee` is higher than the full transaction fee',
    values: [soroban.resourceFee, fee],
  })
}

const resourceFeeCoversCost: Check = ({ transaction: { soroban }, nonRefundableFee }) => {
  if (!soroban || soroban.resourceFee >= nonRefundableFee) return undefined
  return problem('txSorobanInvalid', {
    type: 'sceStorage',
    code: 'scecExceededLimit',
    message: 'transaction `sorobanData.resourceFee` is lower than the actual Soroban resource fee',
    values: [soroban.resourceFee, nonRefundableFee],
  })
}

const footprintHasNoDuplicates: Check = ({ transaction }) => {
  const diagnostic = transaction.soroban && footprintIsUnique(transaction.soroban, transaction)
  return diagnostic && problem('txSorobanInvalid', diagnostic)
}

const notTooEarly: Check = ({ transaction: { conditions }, earliest, ledger }) => {
  const { timeBounds, ledgerBounds } = conditions
  const early =
    (timeBounds && timeBounds.minTime > earliest) ||
    (ledgerBounds && ledgerBounds.minLedger > ledger)
  return early ? problem('txTooEarly') : undefined
}

const notTooLate: Check = ({ transaction: { conditions }, latest, ledger }) => {
  const { timeBounds, ledgerBounds } = conditions
  const late =
    (timeBounds && timeBounds.maxTime !== 0n && timeBounds.maxTime < latest) ||
    (ledgerBounds && ledgerBounds.maxLedger !== 0 && ledgerBounds.maxLedger <= ledger)
  return late ? problem('txTooLate') : undefined
}

const bidSuffices: Check = ({ transaction, paysItself }) => {
  const least = paysItself ? minInclusionFee(transaction.operations.length) : undefined
  return least !== undefined && innerInclusionFee(transaction) < least
    ? problem('txInsufficientFee')
    : undefined
}

/** Say the same however often they are asked about a transaction. */
const ofTheBytesAlone: readonly Check[] = [
  extraSignersAreSound,
  hasOperations,
  sorobanIsAlone,
  onlySorobanDeclaresResources,
  callHasNoMemo,
  resourcesAreWithinLimits,
  bidCoversResourceFee,
  resourceFeeCoversCost,
  footprintHasNoDuplicates,
]

const sound = new WeakSet<Transaction>()

function bytesProblem(facts: ValidityInput): Problem | undefined {
  if (sound.has(facts.transaction)) return undefined
  const found = firstProblem(ofTheBytesAlone, facts)
  if (!found) sound.add(facts.transaction)
  return found
}

const beforeAccount: readonly Check[] = [bytesProblem, notTooEarly, notTooLate, bidSuffices]

/** The next number exactly, or with `minSeqNum` any jump from there on (CAP-21). */
function isBadSequence({ transaction, ledger }: ValidityInput, { sequence }: Account): boolean {
  const wanted = transaction.sequence
  // A number that a new account of this ledger would start with.
  if (wanted === BigInt(ledger) << 32n) return true
  const { minSequence } = transaction.conditions
  if (minSequence !== null) return sequence < minSequence || sequence >= wanted
  return sequence === MAX_INT64 || sequence + 1n !== wanted
}

type AccountCheck = (
  facts: ValidityInput,
  account: Account,
  signatures: SignatureChecker,
) => Problem | undefined

const accountHasRested: AccountCheck = (
  { transaction: { conditions }, earliest, ledger },
  account,
) => {
  const { minSequenceAge, minSequenceLedgerGap } = conditions
  const tooYoung = minSequenceAge > earliest || earliest - minSequenceAge < account.sequenceTime
  const tooSoon =
    minSequenceLedgerGap > ledger || ledger - minSequenceLedgerGap < account.sequenceLedger
  return tooYoung || tooSoon ? problem('txBadMinSeqAgeOrGap') : undefined
}

const sourceSigned: AccountCheck = (_, account, signatures) =>
  signatures.check(signersOf(account), account.thresholds[1]) ? undefined : problem('txBadAuth')

const extraSignersSigned: AccountCheck = ({ transaction }, _, signatures) => {
  const { extraSigners } = transaction.conditions
  if (extraSigners.length === 0) return undefined
  const signers = extraSigners.map((key) => ({ key: identityOf(key), weight: 1 }))
  return signatures.check(signers, signers.length) ? undefined : problem('txBadAuth')
}

const sourceCanPay: AccountCheck = ({ paysItself, feeToPay }, account) =>
  paysItself && availableBalance(account) < feeToPay ? problem('txInsufficientBalance') : undefined

const withAccount: readonly AccountCheck[] = [
  accountHasRested,
  sourceSigned,
  extraSignersSigned,
  sourceCanPay,
]
