/** A test as users write it, without a test runner: starts an embedded network, pays, and prints one line. */
import { Asset, Operation, rpc, TransactionBuilder } from '@stellar/stellar-sdk'
import { startLocalnet } from '../../../src/package/localnet.ts'

const startedAt = performance.now()
const net = await startLocalnet()
const [alice, bob] = [await net.fund(), await net.fund()]
const server = new rpc.Server(net.rpcUrl, { allowHttp: true })
const account = await server.getAccount(alice.publicKey())
const operation = Operation.payment({
  destination: bob.publicKey(),
  asset: Asset.native(),
  amount: '1',
})
const transaction = new TransactionBuilder(account, {
  fee: '100',
  networkPassphrase: net.networkPassphrase,
})
  .addOperation(operation)
  .setTimeout(30)
  .build()
transaction.sign(alice)
const { hash } = await server.sendTransaction(transaction)
const { status } = await server.getTransaction(hash)
process.stdout.write(`${JSON.stringify({ status, paidAfterMs: performance.now() - startedAt })}\n`)
await net.close()
