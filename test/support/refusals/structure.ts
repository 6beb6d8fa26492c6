import { Keypair, xdr } from '@stellar/stellar-sdk'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { addressValue, i128, muxed, type PaymentDraft, usdc } from '../payments.ts'
import { P, type Parties, type RefusalRow, withoutPayer } from './refusal.ts'

const changed = (
  change: (draft: PaymentDraft) => void,
  message: string | RegExp,
): RefusalRow['build'] => withoutPayer({ afterwards: change }, message)

const sentAs = (
  transaction: (draft: PaymentDraft) => string,
  message: string | RegExp,
): RefusalRow['build'] =>
  changed((draft) => {
    draft.body.paymentPayload.payload = { transaction: transaction(draft) }
  }, message)

/** A member of the accepted entry with another value, and left out. */
const mismatches = (
  name: string,
  other: unknown,
  required: (parties: Parties) => unknown,
): RefusalRow[] =>
  [other, undefined].map((value) => {
    const shown = JSON.stringify(value) ?? 'missing'
    return {
      code: `${P}accepted_mismatch`,
      when: `for accepted.${name} ${shown}`,
      build: withoutPayer(
        { accepted: { [name]: value } },
        (parties) =>
          `accepted.${name} is ${shown}, the requirements say ${JSON.stringify(required(parties))}`,
      ),
    }
  })

const other = Keypair.random().publicKey()

export const structureRefusals: readonly RefusalRow[] = [
  ...mismatches('asset', usdcContracts['stellar:pubnet'], () => usdc),
  ...mismatches('payTo', other, ({ seller }) => seller.address),
  ...mismatches('amount', '1', () => '100000'),
  ...mismatches('maxTimeoutSeconds', 61, () => 60),
  ...[{ areFeesSponsored: false }, {}, undefined].map(
    (extra): RefusalRow => ({
      code: `${P}accepted_mismatch`,
      when: `for accepted.extra ${JSON.stringify(extra) ?? 'missing'}`,
      build: withoutPayer(
        { accepted: { extra } },
        `accepted.extra.areFeesSponsored is ${extra?.areFeesSponsored ?? 'missing'}, the requirements say true`,
      ),
    }),
  ),
  {
    code: `${P}too_large`,
    when: 'for more than 64 KiB of base64',
    build: sentAs(
      () => 'A'.repeat(65_540),
      'the transaction has 65540 base64 characters, at most 65536 are read',
    ),
  },
  {
    code: `${P}malformed`,
    when: 'for text that is no base64',
    build: sentAs(() => '<transaction>', 'the transaction is not canonical base64'),
  },
  {
    code: `${P}malformed`,
    when: 'for nothing',
    build: sentAs(() => '', 'the transaction is empty'),
  },
  {
    code: `${P}malformed`,
    when: 'for bytes that are no envelope',
    build: sentAs(() => 'AAAA', /^the transaction is not a TransactionEnvelope: /),
  },
  {
    code: `${P}malformed`,
    when: 'for an envelope that ends early',
    build: sentAs(() => 'AAAAAgAAAAA=', /^the transaction is not a TransactionEnvelope: /),
  },
  {
    code: `${P}malformed`,
    when: 'for a fee bump',
    build: sentAs(
      ({ transaction }) =>
        xdr.TransactionEnvelope.envelopeTypeTxFeeBump(
          new xdr.FeeBumpTransactionEnvelope({
            tx: new xdr.FeeBumpTransaction({
              feeSource: xdr.MuxedAccount.keyTypeEd25519(Keypair.random().rawPublicKey()),
              fee: 1000n,
              innerTx: xdr.FeeBumpTransactionInnerTx.envelopeTypeTx(
                new xdr.TransactionV1Envelope({ tx: transaction, signatures: [] }),
              ),
              ext: xdr.FeeBumpTransactionExt.v0(),
            }),
            signatures: [],
          }),
        ).toXdr('base64'),
      'the envelope is a fee bump, expected a version 1 transaction',
    ),
  },
  {
    code: `${P}malformed`,
    when: 'for a payer that is no address',
    build: changed(({ call }) => {
      call.args[0] = i128(5n)
    }, 'argument 0 of transfer is not a G or C address'),
  },
  {
    code: `${P}malformed`,
    when: 'for a payer that is a muxed address',
    build: changed(({ call }) => {
      call.args[0] = addressValue(muxed(other))
    }, 'argument 0 of transfer is not a G or C address'),
  },
  {
    code: `${P}wrong_operation`,
    when: 'for two operations',
    build: changed(({ transaction, operation }) => {
      transaction.operations = [operation, operation]
    }, 'the transaction has 2 operations, expected one invokeHostFunction'),
  },
  {
    code: `${P}wrong_operation`,
    when: 'for no operation',
    build: changed(({ transaction }) => {
      transaction.operations = []
    }, 'the transaction has 0 operations, expected one invokeHostFunction'),
  },
  {
    code: `${P}wrong_operation`,
    when: 'for a classic payment',
    build: changed(({ operation }) => {
      operation.body = xdr.OperationBody.payment(
        new xdr.PaymentOp({
          destination: xdr.MuxedAccount.keyTypeEd25519(Keypair.random().rawPublicKey()),
          asset: xdr.Asset.assetTypeNative(),
          amount: 100_000n,
        }),
      )
    }, 'the operation is payment, expected invokeHostFunction'),
  },
  {
    code: `${P}wrong_operation`,
    when: 'for the upload of a contract',
    build: changed(({ invocation }) => {
      invocation.hostFunction = xdr.HostFunction.hostFunctionTypeUploadContractWasm(
        new Uint8Array(8),
      )
    }, 'the operation uploads or creates a contract, expected it to invoke one'),
  },
  {
    code: `${P}wrong_function_name`,
    when: 'for another function',
    build: changed(({ invocation, call: { contractAddress, args } }) => {
      const functionName = 'transfer_from'
      invocation.hostFunction = xdr.HostFunction.hostFunctionTypeInvokeContract(
        new xdr.InvokeContractArgs({ contractAddress, functionName, args }),
      )
    }, 'the call is transfer_from with 3 arguments, expected transfer with 3'),
  },
  {
    code: `${P}wrong_function_name`,
    when: 'for a missing argument',
    build: changed(({ call }) => {
      call.args.pop()
    }, 'the call is transfer with 2 arguments, expected transfer with 3'),
  },
  {
    code: `${P}wrong_function_name`,
    when: 'for a fourth argument',
    build: changed(({ call }) => {
      call.args.push(addressValue(Keypair.random().publicKey()))
    }, 'the call is transfer with 4 arguments, expected transfer with 3'),
  },
]
