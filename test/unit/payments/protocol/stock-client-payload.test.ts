import {
  Account,
  Address,
  authorizeEntry,
  Keypair,
  nativeToScVal,
  Operation,
  SorobanDataBuilder,
  TransactionBuilder,
  xdr,
} from 'stellar-sdk-14'
import { describe, expect, it } from 'vitest'
import { checkPayment } from '../../../../src/payments/checks/check-payment.ts'
import { checkSignature } from '../../../../src/payments/checks/check-signature.ts'
import {
  asset,
  nullAccount,
  passphrase,
  payer,
  policy,
  request,
  seller,
} from './payment-builder.ts'

/** What the stock 2.9.0 client hands over: the older library, V1 credentials, resources filled in. */
async function stockTransaction(): Promise<string> {
  const call = new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(asset).toScAddress(),
    functionName: 'transfer',
    args: [
      nativeToScVal(payer, { type: 'address' }),
      nativeToScVal(seller, { type: 'address' }),
      nativeToScVal('100000', { type: 'i128' }),
    ],
  })
  const unsigned = new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddress(
      new xdr.SorobanAddressCredentials({
        address: Address.fromString(payer).toScAddress(),
        nonce: xdr.Int64.fromString('-8817328991187412'),
        signatureExpirationLedger: 0,
        signature: xdr.ScVal.scvVoid(),
      }),
    ),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: xdr.SorobanAuthorizedFunction.sorobanAuthorizedFunctionTypeContractFn(call),
      subInvocations: [],
    }),
  })
  const key = Keypair.fromRawEd25519Seed(Buffer.alloc(32, 1))
  const entry = await authorizeEntry(unsigned, key, 1_012, passphrase)
  return new TransactionBuilder(new Account(nullAccount, '0'), {
    fee: '100',
    networkPassphrase: passphrase,
    sorobanData: new SorobanDataBuilder().setResourceFee(33_029).build(),
  })
    .setTimeout(60)
    .addOperation(
      Operation.invokeHostFunction({
        func: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
        auth: [entry],
      }),
    )
    .build()
    .toXDR()
}

describe("a stock client's payment", () => {
  it('is accepted, signature included', async () => {
    const given = await request({ transaction: await stockTransaction() })
    const verdict = checkPayment(given, policy, 'settle')
    if (!verdict.ok) throw new Error(verdict.refusal.message)
    expect(verdict.payment).toMatchObject({
      payer,
      authorization: {
        credentials: 'address',
        nonce: -8817328991187412n,
        expirationLedger: 1_012,
      },
    })
    expect(checkSignature(verdict.payment, passphrase)).toBeUndefined()
  })
})
