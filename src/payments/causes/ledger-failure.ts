import type { AppliedTransaction } from '../../stellar/rpc/rpc.ts'
import { readAppliedFailure } from '../../stellar/values/host-failure.ts'
import type { ReasonCode } from '../protocol/reasons.ts'
import { schemesNamed } from '../schemes/schemes.ts'
import type { FailedCall, PaymentParties } from './cause.ts'
import { knownCause } from './diagnosis.ts'

/**
 * Every cause for which a settlement fails on the ledger, although its simulation succeeded.
 * `isPayersFault`: only the payer can have caused it, between the simulation and the ledger. Such failures
 * count towards a pause of the payer. Others do not: the recipient's account and the issuer's permission
 * are not the payer's, whoever sees an authorization can spend its nonce, and time may pass because the network is busy. Resources and fees are our estimate: they count only for a smart
 * account, whose code decides what it uses.
 */
export const ledgerFailures = {
  insufficient_funds: {
    isPayersFault: true,
    message: 'the payer has spent the balance otherwise',
  },
  smart_account_rejected: {
    isPayersFault: true,
    message:
      'the `__check_auth` of the payer accepted the call in the simulation, and failed on the ledger',
  },
  invalid_signature: {
    isPayersFault: true,
    message: "the payer's account changed its signers or thresholds",
  },
  nonce_already_used: {
    isPayersFault: false,
    message: "the payer's authorization was used by another transaction",
  },
  payer_trustline_missing: {
    isPayersFault: true,
    message: 'the payer removed the trustline to the asset',
  },
  payer_account_missing: { isPayersFault: true, message: 'the payer merged the account' },
  recipient_trustline_missing: {
    isPayersFault: false,
    message: 'the recipient removed the trustline to the asset',
  },
  account_missing: {
    isPayersFault: false,
    message: 'the account of the recipient no longer exists',
  },
  trustline_not_authorized: {
    isPayersFault: false,
    message: 'the issuer withdrew its authorization of a balance',
  },
  authorization_expired: {
    isPayersFault: false,
    message: 'the authorization expired before a ledger included the transaction',
  },
  archived_state: {
    isPayersFault: false,
    message: 'a ledger entry that the payment needs was archived',
  },
  unauthorized_invocation: {
    isPayersFault: false,
    message: 'the call needs an authorization that the transaction does not contain',
  },
  resource_limit_exceeded: {
    isPayersFault: 'smart account',
    message: 'the call used more resources than its simulation',
  },
  refundable_fee_exceeded: {
    isPayersFault: 'smart account',
    message: 'rent and events cost more than in the simulation',
  },
  call_failed: {
    isPayersFault: false,
    message: 'the call failed for a cause without a code of its own',
  },
  trapped: {
    isPayersFault: false,
    message: 'the call failed, and the RPC endpoint returned no diagnostic events that say why',
  },
  not_executed: {
    isPayersFault: false,
    message: 'the ledger charged the fee without executing the call',
  },
} as const satisfies Readonly<
  Record<string, { isPayersFault: boolean | 'smart account'; message: string }>
>

export type LedgerFailureCode = keyof typeof ledgerFailures

export interface LedgerFailure {
  readonly code: LedgerFailureCode
  /** Never empty. */
  readonly message: string
}

const faultsWhere = (counts: (isPayersFault: boolean | 'smart account') => boolean) =>
  Object.entries(ledgerFailures).flatMap(([code, { isPayersFault }]) =>
    counts(isPayersFault) ? [code as LedgerFailureCode] : [],
  )
const faultsOfAccounts = faultsWhere((isPayersFault) => isPayersFault === true)
const faultsOfSmartAccounts = faultsWhere((isPayersFault) => isPayersFault !== false)

/** The codes that count towards a pause of this payer, `G...` or `C...`. */
export const payersFaults = (payer: string): readonly LedgerFailureCode[] =>
  payer.startsWith('C') ? faultsOfSmartAccounts : faultsOfAccounts

/** The report of the ledger on a failed transaction. */
export type FailedTransaction = Pick<AppliedTransaction, 'resultCode' | 'operationCode' | 'events'>

/** The payment that a failed transaction was to make. */
export interface SettledCall {
  readonly payment: PaymentParties
  /** `scheme` of its requirements. */
  readonly scheme: string
  readonly policy: FailedCall['policy']
}

const P = 'invalid_exact_stellar_payload_'

const codeByReason: { readonly [Code in ReasonCode]?: LedgerFailureCode } = {
  insufficient_funds: 'insufficient_funds',
  [`${P}smart_account_rejected`]: 'smart_account_rejected',
  [`${P}invalid_signature`]: 'invalid_signature',
  [`${P}nonce_already_used`]: 'nonce_already_used',
  [`${P}payer_trustline_missing`]: 'payer_trustline_missing',
  [`${P}recipient_trustline_missing`]: 'recipient_trustline_missing',
  [`${P}account_missing`]: 'account_missing',
  [`${P}trustline_not_authorized`]: 'trustline_not_authorized',
  [`${P}archived_state`]: 'archived_state',
  [`${P}unauthorized_invocation`]: 'unauthorized_invocation',
  invalid_exact_stellar_signature_expired: 'authorization_expired',
  invalid_upto_stellar_payload_authorization_used: 'nonce_already_used',
  settle_upto_stellar_authorization_expired: 'authorization_expired',
}

const codeByResult: Readonly<Record<string, LedgerFailureCode>> = {
  invokeHostFunctionResourceLimitExceeded: 'resource_limit_exceeded',
  invokeHostFunctionInsufficientRefundableFee: 'refundable_fee_exceeded',
  invokeHostFunctionEntryArchived: 'archived_state',
}

/**
 * Names the cause of a failure on the ledger. The host reports it in diagnostic events, which an endpoint
 * returns only if its core records them; without them only the operation's result code is known.
 */
export function diagnoseOnLedger(
  { payment, scheme, policy }: SettledCall,
  { resultCode, operationCode = '', events }: FailedTransaction,
): LedgerFailure {
  const failure = readAppliedFailure(events)
  const causes = schemesNamed(scheme).flatMap(({ rules }) => rules.settle.causes)
  const known = knownCause(causes, { payment, failure, policy })
  const code = known && codeByReason[known.code]
  if (known && code) {
    const isPayers = code === 'account_missing' && known.party === 'payer'
    return { code: isPayers ? 'payer_account_missing' : code, message: known.message }
  }
  if (resultCode !== 'txFailed') return asInTable('not_executed')
  const hasEvents = failure.errors.length > 0
  return asInTable(codeByResult[operationCode] ?? (hasEvents ? 'call_failed' : 'trapped'))
}

const asInTable = (code: LedgerFailureCode): LedgerFailure => ({
  code,
  message: ledgerFailures[code].message,
})
