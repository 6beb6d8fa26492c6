/**
 * Validity of a transaction without its operations (stellar-core's TransactionFrame::commonValid):
 * lists of checks in stellar-core's order. The first that fails gives the result code.
 */
import type { Account } from '../../ledger/account.ts'
import type { LedgerReader } from '../../ledger/entry-store.ts'
import { availableBalance } from '../../ledger/reserves.ts'
import { MAX_INT64 } from '../../ledger/trustline.ts'
import { loadAccount } from '../../ledger/typed-entries.ts'
import type { TransactionErrorCode } from '../apply/result.ts'
import { isSoroban, isSorobanOperation, type Transaction } from '../envelope.ts'
import { innerInclusionFee, minInclusionFee } from '../fees/fees.ts'
import type { Diagnostic } from '../soroban/diagnostics.ts'
import { footprintIsUnique, resourceLimits } from '../soroban/soroban-limits.ts'
import { identityOf, type SignatureChecker, signersOf } from './signature-checker.ts'

export interface ValidityInput {
  readonly reader: LedgerReader
  /** The ledger the transaction would be applied in. */
  readonly ledger: number
  /** Unix seconds; `minTime` must not be later. */
  readonly lowerBoundCloseTime: bigint
  /** Unix seconds; `maxTime` must not be earlier. */
  readonly upperBoundCloseTime: bigint
  readonly transaction: Transaction
  /** False inside a fee bump, which pays for its inner transaction. */
  readonly chargeFee: boolean
  /** Stroops the source must be able to pay now: 0 once the fee is charged. */
  readonly feeToPay: bigint
  /** Stroops due for the declared resources; for Soroban transactions. */
  readonly nonRefundableFee: bigint
}

export interface ValidityProblem {
  readonly code: TransactionErrorCode
  readonly diagnostic?: Diagnostic
}

export const invalid = (code: TransactionErrorCode, diagnostic?: Diagnostic): ValidityProblem => ({
  code,
  ...(diagnostic && { diagnostic }),
})

type ValidityCheck = (input: ValidityInput) => ValidityProblem | undefined

export interface Validity {
  /** stellar-core's ValidationType: `invalidUpdateSeqNum` still uses up the sequence number. */
  readonly type: 'invalid' | 'invalidUpdateSeqNum' | 'maybeValid'
  readonly problem?: ValidityProblem
}

export function commonValid(input: ValidityInput, signatures: SignatureChecker): Validity {
  const first = firstProblem(preAccountChecks, input)
  if (first) return { type: 'invalid', problem: first }
  const account = loadAccount(input.reader, input.transaction.source)
  if (!account) return { type: 'invalid', problem: invalid('txNoAccount') }
  if (isBadSequence(input, account)) return { type: 'invalid', problem: invalid('txBadSeq') }
  for (const check of accountChecks) {
    const found = check(input, account, signatures)
    if (found) return { type: 'invalidUpdateSeqNum', problem: found }
  }
  return { type: 'maybeValid' }
}

function firstProblem(
  checks: readonly ValidityCheck[],
  input: ValidityInput,
): ValidityProblem | undefined {
  for (const check of checks) {
    const found = check(input)
    if (found) return found
  }
  return undefined
}

const extraSignersAreWellFormed: ValidityCheck = ({ transaction }) => {
  const { extraSigners } = transaction.conditions
  const [first, second] = extraSigners
  const twice = first && second && first.equals(second)
  const empty = extraSigners.some(
    (signer) =>
      signer.type === 'signerKeyTypeEd25519SignedPayload' &&
      signer.ed25519SignedPayload.payload.length === 0,
  )
  return twice || empty ? invalid('txMalformed') : undefined
}

const hasOperations: ValidityCheck = ({ transaction }) =>
  transaction.operations.length === 0 ? invalid('txMissingOperation') : undefined

const sorobanIsAlone: ValidityCheck = ({ transaction: { operations } }) =>
  operations.length > 1 && operations.some(isSorobanOperation) ? invalid('txMalformed') : undefined

const onlySorobanDeclaresResources: ValidityCheck = ({ transaction }) =>
  transaction.soroban && !isSoroban(transaction) ? invalid('txMalformed') : undefined

/** The receiver could not distinguish a memo from an argument of the call (protocol 25). */
const callHasNoMemo: ValidityCheck = ({ transaction: { xdr, operations } }) => {
  const [operation] = operations
  if (operation?.body.type !== 'invokeHostFunction') return undefined
  const muxed = [xdr.sourceAccount, operation.sourceAccount].some(
    (account) => account?.type === 'keyTypeMuxedEd25519',
  )
  if (xdr.memo.type === 'memoNone' && !muxed) return undefined
  return invalid('txSorobanInvalid', {
    type: 'sceContext',
    code: 'scecInvalidInput',
    message: 'Soroban transactions are not allowed to use memo or muxed source account',
  })
}

const resourcesAreWithinLimits: ValidityCheck = ({ transaction }) => {
  const { soroban } = transaction
  if (!soroban) return undefined
  for (const check of resourceLimits) {
    const diagnostic = check(soroban, transaction)
    if (diagnostic) return invalid('txSorobanInvalid', diagnostic)
  }
  return undefined
}

const feeCoversResourceFee: ValidityCheck = ({ transaction, chargeFee }) => {
  const { soroban, fee } = transaction
  // In a fee bump the outer fee covers both parts (protocol 23).
  if (!soroban || !chargeFee || soroban.resourceFee <= fee) return undefined
  return invalid('txSorobanInvalid', {
    type: 'sceStorage',
    code: 'scecExceededLimit',
    message: 'transaction `sorobanData.resourceFee` is higher than the full transaction fee',
    values: [soroban.resourceFee, fee],
  })
}

const resourceFeeCoversCost: ValidityCheck = ({ transaction: { soroban }, nonRefundableFee }) => {
  if (!soroban || soroban.resourceFee >= nonRefundableFee) return undefined
  return invalid('txSorobanInvalid', {
    type: 'sceStorage',
    code: 'scecExceededLimit',
    message: 'transaction `sorobanData.resourceFee` is lower than the actual Soroban resource fee',
    values: [soroban.resourceFee, nonRefundableFee],
  })
}

const footprintHasNoDuplicates: ValidityCheck = ({ transaction }) => {
  const diagnostic = transaction.soroban && footprintIsUnique(transaction.soroban, transaction)
  return diagnostic && invalid('txSorobanInvalid', diagnostic)
}

const notTooEarly: ValidityCheck = ({
  transaction: { conditions },
  lowerBoundCloseTime,
  ledger,
}) => {
  const { timeBounds, ledgerBounds } = conditions
  const early =
    (timeBounds && timeBounds.minTime > lowerBoundCloseTime) ||
    (ledgerBounds && ledgerBounds.minLedger > ledger)
  return early ? invalid('txTooEarly') : undefined
}

const notTooLate: ValidityCheck = ({
  transaction: { conditions },
  upperBoundCloseTime,
  ledger,
}) => {
  const { timeBounds, ledgerBounds } = conditions
  const late =
    (timeBounds && timeBounds.maxTime !== 0n && timeBounds.maxTime < upperBoundCloseTime) ||
    (ledgerBounds && ledgerBounds.maxLedger !== 0 && ledgerBounds.maxLedger <= ledger)
  return late ? invalid('txTooLate') : undefined
}

const feeIsAtLeastMinimum: ValidityCheck = ({ transaction, chargeFee }) => {
  const least = chargeFee ? minInclusionFee(transaction.operations.length) : undefined
  return least !== undefined && innerInclusionFee(transaction) < least
    ? invalid('txInsufficientFee')
    : undefined
}

/** Depend on the envelope alone, so that each transaction is checked once. */
const envelopeChecks: readonly ValidityCheck[] = [
  extraSignersAreWellFormed,
  hasOperations,
  sorobanIsAlone,
  onlySorobanDeclaresResources,
  callHasNoMemo,
  resourcesAreWithinLimits,
  feeCoversResourceFee,
  resourceFeeCoversCost,
  footprintHasNoDuplicates,
]

const checkedEnvelopes = new WeakSet<Transaction>()

function envelopeProblem(input: ValidityInput): ValidityProblem | undefined {
  if (checkedEnvelopes.has(input.transaction)) return undefined
  const found = firstProblem(envelopeChecks, input)
  if (!found) checkedEnvelopes.add(input.transaction)
  return found
}

const preAccountChecks: readonly ValidityCheck[] = [
  envelopeProblem,
  notTooEarly,
  notTooLate,
  feeIsAtLeastMinimum,
]

/** The sequence number must be the next one or, with `minSeqNum`, any higher one (CAP-21). */
function isBadSequence({ transaction, ledger }: ValidityInput, { sequence }: Account): boolean {
  const next = transaction.sequence
  // The first sequence number of an account created in this ledger.
  if (next === BigInt(ledger) << 32n) return true
  const { minSequence } = transaction.conditions
  if (minSequence !== null) return sequence < minSequence || sequence >= next
  return sequence === MAX_INT64 || sequence + 1n !== next
}

type AccountCheck = (
  input: ValidityInput,
  account: Account,
  signatures: SignatureChecker,
) => ValidityProblem | undefined

const minSequenceAgeAndGapAreMet: AccountCheck = (
  { transaction: { conditions }, lowerBoundCloseTime, ledger },
  account,
) => {
  const { minSequenceAge, minSequenceLedgerGap } = conditions
  const tooYoung =
    minSequenceAge > lowerBoundCloseTime ||
    lowerBoundCloseTime - minSequenceAge < account.sequenceTime
  const tooSoon =
    minSequenceLedgerGap > ledger || ledger - minSequenceLedgerGap < account.sequenceLedger
  return tooYoung || tooSoon ? invalid('txBadMinSeqAgeOrGap') : undefined
}

const sourceSigned: AccountCheck = (_, account, signatures) =>
  signatures.check(signersOf(account), account.thresholds[1]) ? undefined : invalid('txBadAuth')

const extraSignersSigned: AccountCheck = ({ transaction }, _, signatures) => {
  const { extraSigners } = transaction.conditions
  if (extraSigners.length === 0) return undefined
  const signers = extraSigners.map((key) => ({ key: identityOf(key), weight: 1 }))
  return signatures.check(signers, signers.length) ? undefined : invalid('txBadAuth')
}

const sourceCanPay: AccountCheck = ({ chargeFee, feeToPay }, account) =>
  chargeFee && availableBalance(account) < feeToPay ? invalid('txInsufficientBalance') : undefined

const accountChecks: readonly AccountCheck[] = [
  minSequenceAgeAndGapAreMet,
  sourceSigned,
  extraSignersSigned,
  sourceCanPay,
]
