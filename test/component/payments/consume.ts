import { Keypair, Operation, rpc, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import {
  addressValue,
  callOf,
  i128,
  type PaymentBody,
  type PaymentPlan,
  signedEntry,
  usdc,
} from '../../support/payments.ts'
import { keyOf } from './store-view.ts'
import type { World } from './world.ts'

/**
 * Makes a payment without the facilitator, as any party that has the authorization can. Resolves with the hash of the
 * transaction, once it is on a ledger.
 */
export async function consume(localnet: LocalnetServer, body: PaymentBody): Promise<string> {
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
  return hash
}

/** Uses the nonce of a payment for another call, by default an allowance, which only its payer can sign. */
export async function spendNonce(
  { stack: { localnet }, deployer }: World,
  body: PaymentBody,
  { payer, payTo, call }: Pick<PaymentPlan, 'payer' | 'payTo' | 'call'>,
): Promise<void> {
  const approve = {
    contract: usdc,
    functionName: 'approve',
    args: [
      ...[payer.address, payTo].map(addressValue),
      i128(1n),
      xdr.ScVal.scvU32(localnet.network.latest.sequence + 100),
    ],
  }
  const nonce = BigInt(keyOf(body).nonce)
  const plan = { payer, payTo, nonce, call: call ?? approve }
  const auth = [await signedEntry(localnet, plan)]
  const func = xdr.HostFunction.hostFunctionTypeInvokeContract(callOf(plan))
  await deployer.send(Operation.invokeHostFunction({ func, auth }))
}
