/** Refusals of `upto` for the transaction and its call of `settle`. */
import { Keypair, xdr } from '@stellar/stellar-sdk'
import { i128 } from '../payments.ts'
import type { UptoPlan } from '../upto-payments.ts'
import { P } from './refusal.ts'
import { after, OTHER_CONTRACT, other, U, type UptoRefusal } from './upto-refusal.ts'

/** Replaces one argument of the operation's call; what the payer signed stays. */
const argument = (index: number, value: xdr.ScVal): Partial<UptoPlan> =>
  after(({ call }) => {
    call.args = call.args.with(index, value)
  })

export const uptoCallRefusals: readonly UptoRefusal[] = [
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
]
