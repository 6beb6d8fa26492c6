import { Asset, Operation } from '@stellar/stellar-sdk'
import {
  addressValue,
  asset,
  callOf,
  channel,
  i128,
  keyOf,
  otherContract,
  payer,
  seller,
  sponsor,
} from './payment-builder.ts'
import { muxed, P, R, type Refused, transferOf, tx } from './refusal-row.ts'

/** Refusals from before the payer could be read. */
export const beforeThePayerIsKnown: Refused[] = [
  {
    when: 'the version is 1',
    code: 'invalid_x402_version',
    given: () => ({ x402Version: 1 }),
    says: 'x402Version is 1, expected 2',
  },
  {
    when: 'only the version of the payload is 1',
    code: 'invalid_x402_version',
    given: () => ({ payloadVersion: 1 }),
    says: 'x402Version is 1',
  },
  {
    when: 'the scheme is another',
    code: 'unsupported_scheme',
    given: () => ({ terms: { scheme: 'upto' } }),
    says: 'scheme is upto, expected exact',
  },
  {
    when: 'the accepted scheme alone is another',
    code: 'unsupported_scheme',
    given: () => ({ accepted: { scheme: 'upto' } }),
    says: 'scheme is upto',
  },
  {
    when: 'the network is another',
    code: 'invalid_network',
    given: () => ({ terms: { network: 'stellar:pubnet' } }),
    says: 'network is stellar:pubnet, expected stellar:testnet',
  },
  {
    when: 'the accepted network alone is another',
    code: 'network_mismatch',
    given: () => ({ accepted: { network: 'stellar:pubnet' } }),
    says: 'stellar:pubnet',
  },
  {
    when: 'the transaction is missing',
    code: 'invalid_payload',
    given: () => ({ transaction: undefined }),
    says: 'payload.transaction is missing',
  },
  {
    when: 'the transaction is not text',
    code: 'invalid_payload',
    given: () => ({ transaction: 5 }),
    says: 'of type number',
  },
  {
    when: 'the asset is none of ours',
    code: `${R}asset_not_accepted`,
    given: () => ({ terms: { asset: otherContract } }),
    says: `accepted here: USDC (${asset})`,
  },
  {
    when: 'the asset is missing',
    code: `${R}asset_not_accepted`,
    given: () => ({ terms: { asset: undefined } }),
    says: 'asset is missing',
  },
  ...[undefined, 'nobody', `${seller.slice(0, -1)}A`, keyOf(2).secret()].map(
    (payTo): Refused => ({
      when: `payTo is ${payTo}`,
      code: `${R}invalid_pay_to`,
      given: () => ({ terms: { payTo } }),
      says: 'expected a G, C or M address',
    }),
  ),
  {
    when: 'payTo is a channel',
    code: `${R}invalid_pay_to`,
    given: () => ({ terms: { payTo: channel } }),
    says: "one of the facilitator's own accounts",
  },
  ...[undefined, '', '0', '-5', '05', '1.5', '1e5', ' 5', '0x10', (2n ** 127n).toString()].map(
    (amount): Refused => ({
      when: `the amount is ${JSON.stringify(amount)}`,
      code: `${R}invalid_amount`,
      given: () => ({ terms: { amount } }),
      says: 'expected a positive whole number',
    }),
  ),
  {
    when: 'the amount is below the least',
    code: `${R}amount_out_of_range`,
    given: () => ({ terms: { amount: '9' } }),
    says: 'amount is 9, expected at least 10',
  },
  {
    when: 'the amount is above the most',
    code: `${R}amount_out_of_range`,
    given: () => ({ terms: { amount: '1000000001' } }),
    says: 'expected at most 1000000000',
  },
  ...[undefined, 9, 301, 60.5, Number.NaN].map(
    (maxTimeoutSeconds): Refused => ({
      when: `the timeout is ${maxTimeoutSeconds}`,
      code: `${R}timeout_out_of_range`,
      given: () => ({ terms: { maxTimeoutSeconds } }),
      says: 'expected a whole number from 10 to 300',
    }),
  ),
  ...[undefined, {}, { areFeesSponsored: false }, { areFeesSponsored: 'true' }].map(
    (extra): Refused => ({
      when: `extra is ${JSON.stringify(extra)}`,
      code: `${R}fees_not_sponsored`,
      given: () => ({ terms: { extra } }),
      says: 'expected true',
    }),
  ),
  ...Object.entries({
    asset: otherContract,
    payTo: payer,
    amount: '100001',
    maxTimeoutSeconds: 61,
    extra: { areFeesSponsored: false },
  }).flatMap(([member, value]): Refused[] =>
    [value, undefined].map((seen) => ({
      when: `accepted.${member} is ${JSON.stringify(seen)}`,
      code: `${P}accepted_mismatch`,
      given: () => ({ accepted: { [member]: seen } }),
      says: `accepted.${member}`,
    })),
  ),
  {
    when: 'the transaction is longer than is read',
    code: `${P}too_large`,
    given: () => ({ transaction: 'A'.repeat(64 * 1024 + 4) }),
    says: '65540 base64 characters',
  },
  ...['', 'not base64!', 'AAAAAgAAAAA='].map(
    (transaction): Refused => ({
      when: `the transaction is ${JSON.stringify(transaction)}`,
      code: `${P}malformed`,
      given: () => ({ transaction }),
      says: 'the transaction is',
    }),
  ),
  {
    when: 'there are two operations',
    code: `${P}wrong_operation`,
    given: () =>
      tx({
        change: (builder) => builder.addOperation(Operation.bumpSequence({ bumpTo: '1' })),
      }),
    says: 'the transaction has 2 operations',
  },
  {
    when: 'there is no operation',
    code: `${P}wrong_operation`,
    given: () => tx({ change: (builder) => builder.clearOperations() }),
    says: 'the transaction has 0 operations',
  },
  {
    when: 'the operation is a payment',
    code: `${P}wrong_operation`,
    given: () =>
      tx({
        change: (builder) =>
          builder
            .clearOperations()
            .addOperation(
              Operation.payment({ destination: seller, asset: Asset.native(), amount: '1' }),
            ),
      }),
    says: 'the operation is payment',
  },
  {
    when: 'the operation uploads a contract',
    code: `${P}wrong_operation`,
    given: () =>
      tx({
        change: (builder) =>
          builder
            .clearOperations()
            .addOperation(Operation.uploadContractWasm({ wasm: new Uint8Array(8) })),
      }),
    says: 'uploads or creates a contract',
  },
  {
    when: 'the function is another',
    code: `${P}wrong_function_name`,
    given: () => tx({ call: callOf({ functionName: 'transfer_from' }) }),
    says: 'the call is transfer_from with 3 arguments',
  },
  {
    when: 'an argument is missing',
    code: `${P}wrong_function_name`,
    given: () => transferOf([addressValue(payer), addressValue(seller)]),
    says: 'transfer with 2 arguments',
  },
  {
    when: 'the payer is no address',
    code: `${P}malformed`,
    given: () => transferOf([i128(1n), addressValue(seller), i128(100_000n)]),
    says: 'argument 0',
  },
  {
    when: 'the payer is a muxed address',
    code: `${P}malformed`,
    given: () => transferOf([addressValue(muxed(payer, 1n)), addressValue(seller), i128(100_000n)]),
    says: 'argument 0',
  },
  {
    when: 'the payer is ours',
    code: `${P}facilitator_is_payer`,
    given: () => transferOf([addressValue(sponsor), addressValue(seller), i128(100_000n)]),
    says: "one of the facilitator's own accounts",
  },
]
