import { Keypair, Operation, rpc, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import type { PaymentBody } from '../../support/payments.ts'

/** Makes a payment without the facilitator, as any party that has the authorization can. */
export async function consume(localnet: LocalnetServer, body: PaymentBody): Promise<void> {
  const key = Keypair.random()
  await localnet.pay({ address: key.publicKey(), asset: 'XLM', amount: 1_000_000_000n })
  const server = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  const given = xdr.TransactionEnvelope.fromXdr(
    String(body.paymentPayload.payload['transaction']),
    'base64',
  )
  const call = given.type === 'envelopeTypeTx' ? given.v1.tx.operations[0]?.body : undefined
  if (call?.type !== 'invokeHostFunction') throw new Error('not a payment')
  const { hostFunction: func, auth } = call.invokeHostFunctionOp
  const transaction = new TransactionBuilder(await server.getAccount(key.publicKey()), {
    fee: '1000',
    networkPassphrase: localnet.network.passphrase,
  })
    .addOperation(Operation.invokeHostFunction({ func, auth: [...auth] }))
    .setTimeout(0)
    .build()
  const prepared = await server.prepareTransaction(transaction)
  prepared.sign(key)
  const { hash } = await server.sendTransaction(prepared)
  await localnet.closeLedger()
  if (!localnet.network.transaction(hash)?.successful) throw new Error('the payment failed')
}
