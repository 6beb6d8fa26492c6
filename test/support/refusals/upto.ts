/** Refusals of the scheme `upto` that need no ledger. */
import { Address, Keypair, xdr } from '@stellar/stellar-sdk'
import type { ReasonCode } from '../../../src/x402/reasons.ts'
import type { Phase } from '../../../src/x402/scheme.ts'
import {
  addressValue,
  i128,
  invocationOf,
  muxed,
  type PaymentDraft,
  unsignedEntry,
  usdc,
  type Wallet,
} from '../payments.ts'
import type { UptoPlan } from '../upto-payments.ts'
import { P, R } from './refusal.ts'

/** Who takes part in a payment. */
export interface UptoParties {
  readonly payer: Wallet
  readonly seller: Wallet
  readonly contract: string
  readonly authority: string
  /** An account of the facilitator. */
  readonly channel: string
}

export interface UptoRefusal {
  readonly code: ReasonCode
  readonly when: string
  /** @default settle: what holds at settle alone, or in both */
  readonly phase?: Phase
  readonly plan: Partial<UptoPlan> | ((parties: UptoParties) => Partial<UptoPlan>)
  readonly message: string | RegExp
  /** Whether the refusal names no payer: the call could not be read, or the payer is an account of ours. */
  readonly isAnonymous?: true
}

const U = 'invalid_upto_stellar_payload_'
const stranger = Keypair.random()
const other: Wallet = { address: stranger.publicKey(), key: stranger }
/** A contract that is none of the parties. */
const OTHER_CONTRACT = 'CA3D5KRYM6CB7OWQ6TWYRR3Z4T7GNZLKERYNZGGA5SOAOPIFY6YQGAXE'

const after = (afterwards: (draft: PaymentDraft) => void): Partial<UptoPlan> => ({ afterwards })
/** Replaces one argument of the operation's call; what the payer signed stays. */
const argument = (index: number, value: xdr.ScVal): Partial<UptoPlan> =>
  after(({ call }) => {
    call.args = call.args.with(index, value)
  })

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

/** Rows are in the order of the checks. */
export const uptoRefusals: readonly UptoRefusal[] = [
  {
    code: 'unsupported_scheme',
    when: 'for another profile',
    plan: { extra: { profile: 'contract' } },
    message: 'extra.profile of scheme upto is "contract", expected authority-v1',
    isAnonymous: true,
  },
  {
    code: 'unsupported_scheme',
    when: 'when the client accepted another scheme',
    plan: { accepted: { scheme: 'exact' } },
    message: 'paymentPayload.accepted names scheme exact, paymentRequirements name upto',
    isAnonymous: true,
  },
  {
    code: 'invalid_payload',
    when: 'for a payload without a transaction',
    plan: after(({ body }) => {
      body.paymentPayload.payload['transaction'] = 7
    }),
    message: 'payload.transaction is of type number, expected a base64 TransactionEnvelope',
    isAnonymous: true,
  },
  {
    code: `${R}asset_not_accepted`,
    when: 'for another token',
    plan: { terms: { asset: OTHER_CONTRACT } },
    message: /^asset is "C.*", accepted here: USDC/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for an account of the facilitator as recipient',
    plan: ({ channel }) => ({ payTo: channel }),
    message: /is one of the facilitator's own accounts$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for the authority as recipient',
    plan: ({ authority }) => ({ payTo: authority }),
    message: /is one of the facilitator's own accounts$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for a muxed recipient',
    plan: ({ seller }) => ({ payTo: seller.address, terms: { payTo: muxed(seller.address) } }),
    message: /^payTo is M.*: the scheme upto cannot pay a muxed address$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_pay_to`,
    when: 'for the settlement contract as recipient',
    plan: ({ contract }) => ({ payTo: contract }),
    message: /^payTo C.* is the settlement contract$/,
    isAnonymous: true,
  },
  {
    code: `${R}invalid_amount`,
    when: 'for a ceiling of zero',
    plan: { accepted: { amount: '0' } },
    message: /^accepted.amount is "0", expected a positive whole number/,
    isAnonymous: true,
  },
  ...['-1', '007', '1.5', '', ' 1', '170141183460469231731687303715884105728'].map(
    (amount): UptoRefusal => ({
      code: `${R}invalid_amount`,
      when: `for the amount ${JSON.stringify(amount)}`,
      plan: { terms: { amount }, accepted: { amount: '100000' } },
      message: `amount is ${JSON.stringify(amount)}, expected zero or a positive whole number of base units of at most 128 bits`,
      isAnonymous: true,
    }),
  ),
  {
    code: `${R}invalid_amount`,
    when: 'for an amount of zero at verify',
    phase: 'verify',
    plan: { terms: { amount: '0' }, accepted: { amount: '100000' } },
    message: /^amount is "0", expected a positive whole number/,
    isAnonymous: true,
  },
  {
    code: `${R}amount_out_of_range`,
    when: 'for a ceiling below the minimum of the asset',
    plan: { ceiling: 9n },
    message: 'amount is 9, expected at least 10 base units of USDC',
    isAnonymous: true,
  },
  {
    code: `${R}timeout_out_of_range`,
    when: 'for a timeout above the range',
    plan: { maxTimeoutSeconds: 301 },
    message: 'maxTimeoutSeconds is 301, expected a whole number from 10 to 300',
    isAnonymous: true,
  },
  {
    code: `${R}fees_not_sponsored`,
    when: 'without sponsored fees',
    plan: { extra: { areFeesSponsored: false } },
    message: 'extra.areFeesSponsored is false, expected true',
    isAnonymous: true,
  },
  {
    code: `${U}wrong_contract`,
    when: 'when the requirements name another contract',
    plan: { extra: { uptoContract: OTHER_CONTRACT } },
    message: /^extra.uptoContract is "CA3D.*", expected C/,
    isAnonymous: true,
  },
  {
    code: `${U}wrong_contract`,
    when: 'when the requirements name no contract',
    plan: { extra: { uptoContract: undefined } },
    message: /^extra.uptoContract is missing, expected C/,
    isAnonymous: true,
  },
  {
    code: `${P}unauthorized_invocation`,
    when: 'when the requirements name the authority of another facilitator',
    plan: { extra: { authority: other.address } },
    message: /^extra.authority is "G.*", which this service cannot settle for; it is G/,
    isAnonymous: true,
  },
  ...[
    ['profile', undefined],
    ['uptoContract', OTHER_CONTRACT],
    ['authority', other.address],
  ].map(
    ([name, value]): UptoRefusal => ({
      code: `${P}accepted_mismatch`,
      when: `when the client accepted another ${name}`,
      plan: after(({ body }) => {
        const { accepted } = body.paymentPayload
        accepted['extra'] = { ...Object(accepted['extra']), [String(name)]: value }
      }),
      message: new RegExp(`^accepted.extra.${name} is .*, the requirements say`),
      isAnonymous: true,
    }),
  ),
  {
    code: `${P}accepted_mismatch`,
    when: 'for an amount below the ceiling at verify',
    phase: 'verify',
    plan: { amount: 99_999n },
    message: 'accepted.amount is "100000", the requirements say "99999"',
    isAnonymous: true,
  },
  {
    code: `${P}too_large`,
    when: 'for a transaction above 64 KiB',
    plan: after(({ body }) => {
      body.paymentPayload.payload['transaction'] = 'A'.repeat(65_540)
    }),
    message: 'the transaction has 65540 base64 characters, at most 65536 are read',
    isAnonymous: true,
  },
  {
    code: `${U}malformed`,
    when: 'for a transaction that is none',
    plan: after(({ body }) => {
      body.paymentPayload.payload['transaction'] = 'AAAA'
    }),
    message: /^the transaction is not a TransactionEnvelope/,
    isAnonymous: true,
  },
  {
    code: `${P}wrong_operation`,
    when: 'for two operations',
    plan: after(({ transaction, operation }) => {
      transaction.operations = [operation, operation]
    }),
    message: 'the transaction has 2 operations, expected one invokeHostFunction',
    isAnonymous: true,
  },
  {
    code: `${P}wrong_function_name`,
    when: 'for another function',
    plan: { call: { functionName: 'settle_all' } },
    message: 'the call is settle_all with 8 arguments, expected settle with 8',
    isAnonymous: true,
  },
  {
    code: `${P}wrong_function_name`,
    when: 'for an argument too few',
    plan: after(({ call }) => {
      call.args = call.args.slice(0, 7)
    }),
    message: 'the call is settle with 7 arguments, expected settle with 8',
    isAnonymous: true,
  },
  ...(
    [
      [0, 'token', 'an address', i128(1n)],
      [1, 'from', 'a G or C address', i128(1n)],
      [2, 'to', 'an address', xdr.ScVal.scvVoid()],
      [3, 'ceiling', 'an i128', xdr.ScVal.scvU64(100_000n)],
      [4, 'expirationLedger', 'a u32', xdr.ScVal.scvU64(1_010n)],
      [5, 'nonce', '32 bytes', xdr.ScVal.scvBytes(new Uint8Array(31))],
      [6, 'actual', 'an i128', xdr.ScVal.scvU32(0)],
      [7, 'authority', 'an address', xdr.ScVal.scvVoid()],
    ] as const
  ).map(
    ([index, name, expected, value]): UptoRefusal => ({
      code: `${U}malformed`,
      when: `for another type of argument ${index}`,
      plan: argument(index, value),
      message: `argument ${index} of settle, ${name}, is not ${expected}`,
      isAnonymous: true,
    }),
  ),
  {
    code: `${U}malformed`,
    when: 'for a payload without a nonce',
    plan: { payload: { nonce: undefined } },
    message: /^payload.nonce: /,
    isAnonymous: true,
  },
  {
    code: `${U}malformed`,
    when: 'for a payload with another expiration ledger',
    plan: { payload: { expirationLedger: 5 } },
    message: /^payload.expirationLedger is 5, the call says \d+$/,
    isAnonymous: true,
  },
  {
    code: `${U}malformed`,
    when: 'for a payload with another nonce',
    plan: { payload: { nonce: 'ff'.repeat(32) } },
    message: /^payload.nonce is "f+", the call says [0-9a-f]{64}$/,
    isAnonymous: true,
  },
  {
    code: `${U}wrong_max_amount`,
    when: 'for a payload with another ceiling',
    plan: { payload: { maxAmount: '5' } },
    message: 'payload.maxAmount is "5", the call says 100000',
    isAnonymous: true,
  },
  {
    code: `${P}unsafe_tx_or_op_source`,
    when: 'when the authority is the source of the operation',
    plan: ({ authority }) =>
      after(({ operation }) => {
        operation.sourceAccount = xdr.MuxedAccount.keyTypeEd25519(
          Keypair.fromPublicKey(authority).rawPublicKey(),
        )
      }),
    message: /^source G.* is one of the facilitator's own accounts$/,
  },
  {
    code: `${P}facilitator_is_payer`,
    when: 'when the authority pays',
    plan: ({ authority }) => ({ call: { from: authority } }),
    message: /own accounts$/,
    isAnonymous: true,
  },
  {
    code: `${U}wrong_contract`,
    when: 'for a call of another contract',
    plan: { call: { contract: OTHER_CONTRACT } },
    message: new RegExp(`^the call is to contract ${OTHER_CONTRACT}, expected C`),
  },
  {
    code: `${P}wrong_asset`,
    when: 'for another token in the call',
    plan: { call: { token: OTHER_CONTRACT } },
    message: new RegExp(`^the settlement is in token ${OTHER_CONTRACT}, expected C`),
  },
  {
    code: `${P}wrong_recipient`,
    when: 'for another recipient in the call',
    plan: { call: { to: other.address } },
    message: new RegExp(`^the settlement is to ${other.address}, expected G`),
  },
  {
    code: `${P}self_payment`,
    when: 'for a payment to the payer',
    plan: ({ payer }) => ({ payTo: payer.address }),
    message: /^payer and recipient are both G/,
  },
  {
    code: `${U}wrong_max_amount`,
    when: 'when the payer signed a higher ceiling than accepted',
    plan: { terms: { amount: '99999' } },
    message: 'the payer signed at most 100000 base units, expected 99999',
  },
  {
    code: `${U}settlement_exceeds_amount`,
    when: 'for an amount above the ceiling',
    plan: { amount: 100_001n },
    message: 'amount is 100001, the payer signed at most 100000 base units',
  },
  {
    code: `${P}wrong_amount`,
    when: 'when the client fills in a negative amount',
    plan: { call: { actual: -1n } },
    message: 'argument 6 of settle is -1, expected 0 to 100000',
  },
  {
    code: `${P}wrong_amount`,
    when: 'when the client fills in more than the ceiling',
    plan: { call: { actual: 100_001n } },
    message: 'argument 6 of settle is 100001, expected 0 to 100000',
  },
  {
    code: `${P}unauthorized_invocation`,
    when: 'when the payer lets another authority settle',
    plan: { call: { authority: other.address } },
    message: new RegExp(`^the payer lets ${other.address} settle, expected G`),
  },
  {
    code: `${P}unsupported_preconditions`,
    when: 'for a memo',
    plan: after(({ transaction }) => {
      transaction.memo = xdr.Memo.memoId(7n)
    }),
    message: 'the transaction sets memo, which a sponsored settlement cannot keep',
  },
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
