/** Whether the payer alone authorized a call. */

import { addressKind } from '../../stellar/accounts/strkey.ts'
import type { AddressEntry } from '../../stellar/authorization/auth-entry.ts'
import { type Check, rule } from './check.ts'
import { addressEntries, type CallFacts, payerEntry } from './facts.ts'

// Source-account credentials would make the settlement's own source, a channel, authorize the call;
// delegates (CAP-71) would have to be checked one by one.
export const addressCredentials: Check<CallFacts> = rule(
  'credentials are of an address',
  'invalid_exact_stellar_payload_unsupported_credential_type',
  ({ invocation }) => {
    const other = invocation.auth.find(
      ({ credentials }) => credentials !== 'address' && credentials !== 'addressV2',
    )
    return (
      other &&
      `an authorization entry has ${other.credentials} credentials, expected address or addressV2`
    )
  },
)

export const hasEntry: Check<CallFacts> = rule(
  'there is an entry',
  'invalid_exact_stellar_payload_no_auth_entries',
  ({ invocation, payer }) =>
    invocation.auth.length === 0
      ? `the operation has no authorization entry, expected one of ${payer}`
      : undefined,
)

export const noEntryOurs: Check<CallFacts> = rule(
  'no entry is ours',
  'invalid_exact_stellar_payload_facilitator_in_auth',
  ({ invocation, policy }) => {
    const ours = addressEntries(invocation).find(({ address }) => policy.isOwnAccount(address))
    return (
      ours && `an authorization entry is for ${ours.address}, one of the facilitator's own accounts`
    )
  },
)

export const payerSigned: Check<CallFacts> = rule(
  'the payer has signed',
  'invalid_exact_stellar_payload_missing_payer_signature',
  (facts) => {
    const entry = payerEntry(facts)
    if (!entry) return `no authorization entry is for the payer ${facts.payer}`
    return isSigned(entry)
      ? undefined
      : `the authorization entry of ${facts.payer} carries no signature`
  },
)

export const noOtherEntry: Check<CallFacts> = rule(
  'there is no other entry',
  'invalid_exact_stellar_payload_unexpected_pending_signatures',
  (facts) => {
    const own = payerEntry(facts)
    const other = addressEntries(facts.invocation).find(
      (entry) => entry !== own && !vouchesForPayer(entry, facts),
    )
    return (
      other &&
      `there is an authorization entry of ${other.address} besides the payer's, expected only ${facts.payer}`
    )
  },
)

/**
 * An empty list of signatures is valid here for a contract: it may let its policies alone decide, and its
 * `__check_auth` accepts or refuses.
 */
const isSigned = ({ address, signature }: AddressEntry): boolean =>
  signature.type !== 'void' &&
  (addressKind(address) === 'contract' ||
    !(signature.type === 'vec' && signature.items.length === 0))

/**
 * A smart account may require signatures of other accounts: each of them authorizes the account's own
 * `__check_auth`, and nothing else. With a `G...` payer every further entry is refused.
 */
const vouchesForPayer = (entry: AddressEntry, { payer }: CallFacts): boolean =>
  entry.address !== payer &&
  entry.call?.contract === payer &&
  entry.call.functionName === '__check_auth' &&
  isSigned(entry)

export const describeCall = (call: AddressEntry['call']): string =>
  call ? `a call of ${call.functionName} at ${call.contract}` : 'the creation of a contract'
