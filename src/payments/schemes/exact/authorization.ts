/** Whether the payer alone authorized this call, and nothing more. */
import {
  addressCredentials,
  describeCall,
  hasEntry,
  noEntryOurs,
  noOtherEntry,
  payerSigned,
} from '../../checks/authorization.ts'
import { type Check, rule } from '../../checks/check.ts'
import { addressEntries, type CallFacts, payerEntry } from '../../checks/facts.ts'

export const authorizationChecks: readonly Check<CallFacts>[] = [
  addressCredentials,
  hasEntry,
  noEntryOurs,

  rule(
    'entries cover one call each',
    'invalid_exact_stellar_payload_has_subinvocations',
    ({ invocation }) => {
      const wide = addressEntries(invocation).find(
        ({ subInvocations }) => subInvocations.length > 0,
      )
      return (
        wide &&
        `the authorization of ${wide.address} covers ${wide.subInvocations.length} further calls, expected none`
      )
    },
  ),

  payerSigned,
  noOtherEntry,

  rule(
    'the payer authorized this call',
    'invalid_exact_stellar_payload_auth_invocation_mismatch',
    (facts) => {
      const authorized = payerEntry(facts)?.call
      if (authorized && Buffer.compare(authorized.xdr, facts.call.xdr) === 0) return undefined
      return `${facts.payer} authorized ${describeCall(authorized)}, the operation makes another call`
    },
  ),
]
