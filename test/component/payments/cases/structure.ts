import { Keypair, xdr } from '@stellar/stellar-sdk'
import {
  addressValue,
  bodyOf,
  draftPayment,
  i128,
  type PaymentDraft,
} from '../../../support/payments.ts'
import type { Provocation, RefusalCase } from '../refusal-case.ts'
import type { World } from '../world.ts'

const P = 'invalid_exact_stellar_payload_'

/** Asked before the call was read, so that no payer is known. */
const changed =
  (change: (draft: PaymentDraft) => void, message: Provocation['message']) =>
  async (world: World): Promise<Provocation> => ({
    body: await world.pay({ afterwards: change }),
    message,
  })

const sentAs =
  (transaction: (draft: PaymentDraft) => string, message: Provocation['message']) =>
  async ({ stack, payer, seller }: World): Promise<Provocation> => {
    const draft = await draftPayment(stack.localnet, { payer, payTo: seller.address })
    draft.body.paymentPayload.payload = { transaction: transaction(draft) }
    return { body: bodyOf(draft), message }
  }

const mismatch = (name: string, accepted: Record<string, unknown>, words: string): RefusalCase => ({
  code: `${P}accepted_mismatch`,
  when: `for another ${name} in the accepted entry`,
  provoke: async (world) => ({
    body: await world.pay({ accepted }),
    message: `accepted.${name} is ${words}`,
  }),
})

export const structureCases: readonly RefusalCase[] = [
  mismatch('amount', { amount: '1' }, '"1", the requirements say "100000"'),
  mismatch('maxTimeoutSeconds', { maxTimeoutSeconds: 61 }, '61, the requirements say 60'),
  mismatch('extra.areFeesSponsored', { extra: {} }, 'missing, the requirements say true'),
  {
    code: `${P}too_large`,
    when: 'for more than 64 KiB of base64',
    provoke: sentAs(
      () => 'A'.repeat(65_540),
      'the transaction has 65540 base64 characters, at most 65536 are read',
    ),
  },
  {
    code: `${P}malformed`,
    when: 'for text that is no base64',
    provoke: sentAs(() => '<transaction>', 'the transaction is not canonical base64'),
  },
  {
    code: `${P}malformed`,
    when: 'for nothing',
    provoke: sentAs(() => '', 'the transaction is empty'),
  },
  {
    code: `${P}malformed`,
    when: 'for bytes that are no envelope',
    provoke: sentAs(() => 'AAAA', /^the transaction is not a TransactionEnvelope: /),
  },
  {
    code: `${P}malformed`,
    when: 'for a fee bump',
    provoke: sentAs(
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
    provoke: changed(({ call }) => {
      call.args[0] = i128(5n)
    }, 'argument 0 of transfer is not a G or C address'),
  },
  {
    code: `${P}wrong_operation`,
    when: 'for two operations',
    provoke: changed(({ transaction, operation }) => {
      transaction.operations = [operation, operation]
    }, 'the transaction has 2 operations, expected one invokeHostFunction'),
  },
  {
    code: `${P}wrong_operation`,
    when: 'for no operation',
    provoke: changed(({ transaction }) => {
      transaction.operations = []
    }, 'the transaction has 0 operations, expected one invokeHostFunction'),
  },
  {
    code: `${P}wrong_operation`,
    when: 'for a classic payment',
    provoke: changed(({ operation }) => {
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
    provoke: changed(({ invocation }) => {
      invocation.hostFunction = xdr.HostFunction.hostFunctionTypeUploadContractWasm(
        new Uint8Array(8),
      )
    }, 'the operation uploads or creates a contract, expected it to invoke one'),
  },
  {
    code: `${P}wrong_function_name`,
    when: 'for another function',
    provoke: changed(({ invocation, call: { contractAddress, args } }) => {
      const functionName = 'transfer_from'
      invocation.hostFunction = xdr.HostFunction.hostFunctionTypeInvokeContract(
        new xdr.InvokeContractArgs({ contractAddress, functionName, args }),
      )
    }, 'the call is transfer_from with 3 arguments, expected transfer with 3'),
  },
  {
    code: `${P}wrong_function_name`,
    when: 'for a fourth argument',
    provoke: changed(({ call }) => {
      call.args.push(addressValue(Keypair.random().publicKey()))
    }, 'the call is transfer with 4 arguments, expected transfer with 3'),
  },
]
