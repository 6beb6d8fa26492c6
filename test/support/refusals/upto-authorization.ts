/** Refusals of `upto` for the authorization entries, and what the payer signed in them. */
import { Address, xdr } from '@stellar/stellar-sdk'
import { addressValue, i128, invocationOf, unsignedEntry, usdc } from '../payments.ts'
import type { UptoPlan } from '../upto-payments.ts'
import { P } from './refusal.ts'
import { after, OTHER_CONTRACT, other, type UptoParties, type UptoRefusal } from './upto-refusal.ts'

const approveOf = (parties: UptoParties, token = usdc): xdr.SorobanAuthorizedInvocation =>
  invocationOf(
    new xdr.InvokeContractArgs({
      contractAddress: Address.fromString(token).toScAddress(),
      functionName: 'approve',
      args: [
        addressValue(parties.payer.address),
        addressValue(parties.contract),
        i128(100_000n),
        xdr.ScVal.scvU32(1_010),
      ],
    }),
  )

const signing =
  (
    change: (
      root: xdr.SorobanAuthorizedInvocation,
      parties: UptoParties,
    ) => xdr.SorobanAuthorizedInvocation,
  ): UptoRefusal['plan'] =>
  (parties) => ({
    beforeSigning: (entry) => {
      entry.rootInvocation = change(entry.rootInvocation, parties)
    },
  })

const below =
  (calls: (parties: UptoParties) => xdr.SorobanAuthorizedInvocation[]) =>
  (root: xdr.SorobanAuthorizedInvocation, parties: UptoParties) =>
    new xdr.SorobanAuthorizedInvocation({ function: root.function, subInvocations: calls(parties) })

export const uptoAuthorizationRefusals: readonly UptoRefusal[] = [
  {
    code: `${P}unsupported_credential_type`,
    when: 'for an entry of the source account, which the authority would authorize',
    plan: after(({ invocation, entry }) => {
      invocation.auth = [
        entry,
        new xdr.SorobanAuthorizationEntry({
          credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
          rootInvocation: entry.rootInvocation,
        }),
      ]
    }),
    message: /^an authorization entry has sourceAccount credentials/,
  },
  {
    code: `${P}no_auth_entries`,
    when: 'without an entry',
    plan: after(({ invocation }) => {
      invocation.auth = []
    }),
    message: /^the operation has no authorization entry, expected one of G/,
  },
  {
    code: `${P}facilitator_in_auth`,
    when: 'for an entry of the authority that the client supplies',
    plan: ({ authority, payer }) =>
      after(({ invocation, entry }) => {
        const theirs = unsignedEntry(
          { payer: { ...payer, address: authority }, payTo: authority },
          1_010,
        )
        invocation.auth = [entry, theirs]
      }),
    message: /^an authorization entry is for G.*, one of the facilitator's own accounts$/,
  },
  {
    code: `${P}has_subinvocations`,
    when: 'for a second call below settle',
    plan: signing(below((parties) => [approveOf(parties), approveOf(parties, OTHER_CONTRACT)])),
    message: /covers 2 further calls, expected only approve by the payer's$/,
  },
  {
    code: `${P}has_subinvocations`,
    when: 'for a call below the allowance',
    plan: signing(
      below((parties) => [below((all) => [approveOf(all)])(approveOf(parties), parties)]),
    ),
    message: /covers 2 further calls, expected only approve by the payer's$/,
  },
  {
    code: `${P}missing_payer_signature`,
    when: 'for an entry without a signature',
    plan: after(({ credentials }) => {
      credentials.signature = xdr.ScVal.scvVoid()
    }),
    message: /carries no signature$/,
  },
  {
    code: `${P}unexpected_pending_signatures`,
    when: 'for an entry of somebody else',
    plan: ({ seller }) =>
      after(({ invocation, entry }) => {
        const theirs = unsignedEntry({ payer: other, payTo: seller.address }, 1_010)
        invocation.auth = [entry, theirs]
      }),
    message: new RegExp(`^there is an authorization entry of ${other.address} besides`),
  },
  ...Object.entries<(parties: UptoParties) => Partial<UptoPlan>>({
    token: () => ({ signed: { token: OTHER_CONTRACT }, approve: { token: usdc } }),
    recipient: () => ({ signed: { to: other.address } }),
    ceiling: () => ({ signed: { ceiling: 99_999n }, approve: { ceiling: 100_000n } }),
    'expiration ledger': () => ({ signed: { expirationLedger: 5 } }),
    nonce: () => ({ signed: { nonce: new Uint8Array(32) } }),
    authority: () => ({ signed: { authority: other.address } }),
    contract: ({ contract }) => ({
      signed: { contract: OTHER_CONTRACT },
      approve: { spender: contract },
    }),
    function: () => ({ signed: { functionName: 'settle_all' } }),
  }).map(
    ([what, plan]): UptoRefusal => ({
      code: `${P}auth_invocation_mismatch`,
      when: `when the payer signed another ${what}`,
      plan,
      message: /^G.* authorized a call of settle.* at C.*, the operation settles on other terms$/,
    }),
  ),
  ...Object.entries<Partial<UptoPlan>>({
    token: { approve: { token: OTHER_CONTRACT } },
    owner: { approve: { from: other.address } },
    spender: { approve: { spender: OTHER_CONTRACT } },
    ceiling: { approve: { ceiling: 100_001n } },
    'expiration ledger': { approve: { expirationLedger: 5 } },
    function: { approve: { name: 'transfer' } },
  }).map(
    ([what, plan]): UptoRefusal => ({
      code: `${P}auth_invocation_mismatch`,
      when: `when the allowance that the payer signed has another ${what}`,
      plan,
      message: /^G.* authorized a call of .* below settle, expected approve of the ceiling at C/,
    }),
  ),
  {
    code: `${P}auth_invocation_mismatch`,
    when: 'when the payer signed no allowance',
    plan: signing(below(() => [])),
    message: /^G.* authorized no call below settle, expected approve of the ceiling at C/,
  },
  {
    code: `${P}auth_invocation_mismatch`,
    when: 'when the entry expires after the terms',
    plan: { entryExpirationLedger: 1_011 },
    message: /^the signature of G.* expires after ledger 1011, the call says \d+$/,
  },
]
