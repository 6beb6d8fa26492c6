/** Whether the payer alone authorized these terms, and nothing more than the allowance that they need. */
import { isDeepStrictEqual } from 'node:util'
import type { AuthorizedCall } from '../../../stellar/authorization/auth-entry.ts'
import type { ScValue } from '../../../stellar/values/sc-value.ts'
import {
  addressCredentials,
  describeCall,
  hasEntry,
  noEntryOurs,
  noOtherEntry,
  payerSigned,
} from '../../checks/authorization.ts'
import { type Check, rule } from '../../checks/check.ts'
import { addressEntries, payerEntry } from '../../checks/facts.ts'
import type { UptoCallFacts } from './facts.ts'
import { argumentAt, SETTLE } from './settle-call.ts'

export const authorizationChecks: readonly Check<UptoCallFacts>[] = [
  addressCredentials,
  hasEntry,
  noEntryOurs,

  rule(
    'entries cover the allowance alone',
    'invalid_exact_stellar_payload_has_subinvocations',
    (facts) => {
      const wide = addressEntries(facts.invocation).find(
        (entry) => callsBelow(entry) > (entry === payerEntry(facts) ? 1 : 0),
      )
      return (
        wide &&
        `the authorization of ${wide.address} covers ${callsBelow(wide)} further calls, expected only approve by the payer's`
      )
    },
  ),

  payerSigned,
  noOtherEntry,

  rule(
    'the payer authorized these terms',
    'invalid_exact_stellar_payload_auth_invocation_mismatch',
    (facts) => {
      const authorized = payerEntry(facts)?.call
      const { call, payer } = facts
      const isSame =
        authorized?.contract === call.contract &&
        authorized.functionName === SETTLE &&
        isDeepStrictEqual(authorized.args, signedArguments(facts))
      return isSame
        ? undefined
        : `${payer} authorized ${describeCall(authorized)}, the operation settles on other terms`
    },
  ),

  rule(
    'the payer authorized the allowance',
    'invalid_exact_stellar_payload_auth_invocation_mismatch',
    (facts) => {
      const approve = payerEntry(facts)?.subInvocations[0]?.call
      const isSame =
        approve?.contract === facts.terms.token &&
        approve.functionName === 'approve' &&
        isDeepStrictEqual(approve.args, allowanceArguments(facts))
      const actual = payerEntry(facts)?.subInvocations.length ? describeCall(approve) : 'no call'
      return isSame
        ? undefined
        : `${facts.payer} authorized ${actual} below settle, expected approve of the ceiling at ${facts.terms.token}`
    },
  ),

  // An entry that outlives the terms, or ends before them, would make two last ledgers of one.
  rule(
    'the entry expires with the terms',
    'invalid_exact_stellar_payload_auth_invocation_mismatch',
    (facts) => {
      const last = payerEntry(facts)?.expirationLedger
      const { expirationLedger } = facts.terms
      return last === expirationLedger
        ? undefined
        : `the signature of ${facts.payer} expires after ledger ${last}, the call says ${expirationLedger}`
    },
  ),
]

/** The number of calls below a call, at every level. */
const callsBelow = ({ subInvocations }: Pick<AuthorizedCall, 'subInvocations'>): number =>
  subInvocations.reduce((sum, below) => sum + 1 + callsBelow(below), 0)

/** `(token, to, max_amount, expiration_ledger, nonce, authority)`, as the operation has them. */
const signedArguments = ({ call }: UptoCallFacts): readonly (ScValue | undefined)[] =>
  (['token', 'to', 'ceiling', 'expirationLedger', 'nonce', 'authority'] as const).map(
    (name) => call.args[argumentAt[name]],
  )

/** `(from, contract, max_amount, expiration_ledger)`. */
const allowanceArguments = ({ call }: UptoCallFacts): readonly (ScValue | undefined)[] => [
  call.args[argumentAt.from],
  { type: 'address', value: call.contract },
  call.args[argumentAt.ceiling],
  call.args[argumentAt.expirationLedger],
]
