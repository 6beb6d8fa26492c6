/** A program that knows the network by its address and passphrase alone. */
import {
  Asset,
  contract,
  type Keypair,
  Operation,
  rpc,
  type Transaction,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk'
import type { EmbeddedNetwork } from '../../../../src/package/localnet.ts'
import { decimalXlm } from '../../../../src/platform/core/amounts/stroops.ts'

export const open = (net: EmbeddedNetwork): rpc.Server =>
  new rpc.Server(net.rpcUrl, { allowHttp: true })

export const tokenWasm = new URL(
  '../../../fixtures/contracts/trick-token/trick-token.wasm',
  import.meta.url,
)

export async function signed(
  net: EmbeddedNetwork,
  source: Keypair,
  operation: xdr.Operation,
  maxTime = 0,
): Promise<Transaction> {
  const account = await open(net).getAccount(source.publicKey())
  const transaction = new TransactionBuilder(account, {
    fee: '1000',
    networkPassphrase: net.networkPassphrase,
    timebounds: { minTime: 0, maxTime },
  })
    .addOperation(operation)
    .build()
  transaction.sign(source)
  return transaction
}

export const payment = (to: Keypair, amount = '1'): xdr.Operation =>
  Operation.payment({ destination: to.publicKey(), asset: Asset.native(), amount })

/** Status that the RPC returns, and that of the transaction directly after that. */
export async function send(net: EmbeddedNetwork, transaction: Transaction) {
  const { status, hash, errorResult } = await open(net).sendTransaction(transaction)
  const applied = await open(net).getTransaction(hash)
  return { status, hash, code: errorResult?.result.type, applied: applied.status }
}

/** The client computes time bounds with the system's clock. */
const LONGER_THAN_A_TEST_TRAVELS = 100_000_000

type Call<T> = (args?: object, options?: object) => Promise<contract.AssembledTransaction<T>>

/** Calls a contract's functions by name; `source` signs the transactions. */
export async function clientOf(net: EmbeddedNetwork, contractId: string, source: Keypair) {
  const client = await contract.Client.from({
    contractId,
    rpcUrl: net.rpcUrl,
    networkPassphrase: net.networkPassphrase,
    allowHttp: true,
    publicKey: source.publicKey(),
    ...contract.basicNodeSigner(source, net.networkPassphrase),
  })
  return <T>(name: string, args?: object): Promise<contract.AssembledTransaction<T>> => {
    const call: Call<T> = Reflect.get(client, name)
    return call(args, { timeoutInSeconds: LONGER_THAN_A_TEST_TRAVELS })
  }
}

/** A decimal. */
export async function xlmOf(net: EmbeddedNetwork, who: Keypair): Promise<string> {
  const { balance } = await open(net).getAccountEntry(who.publicKey())
  return decimalXlm(balance)
}

/** Sends a call that the source has signed or signs now. */
export async function statusOf(call: contract.AssembledTransaction<unknown>) {
  const { getTransactionResponse } = await call.signAndSend({ force: true })
  return getTransactionResponse?.status
}
