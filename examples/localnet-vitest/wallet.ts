/** The core of a wallet: one account, payments and trustlines. */
import {
  Asset,
  type Keypair,
  Operation,
  rpc,
  TransactionBuilder,
  type xdr,
} from '@stellar/stellar-sdk'

/** A payment is valid for so long. */
const VALID_SECONDS = 30

/** The network refused a transaction, or a ledger has it as failed. `code` is that of the operation, if there is one. */
export class WalletError extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the transaction failed: ${code}`)
    this.code = code
  }
}

export class Wallet {
  readonly #key: Keypair
  readonly #server: rpc.Server
  readonly #networkPassphrase: string
  /** Kept between payments, so that most of them need one request less. */
  #account: Awaited<ReturnType<rpc.Server['getAccount']>> | undefined

  constructor(key: Keypair, network: { rpcUrl: string; networkPassphrase: string }) {
    this.#key = key
    this.#server = new rpc.Server(network.rpcUrl, { allowHttp: true })
    this.#networkPassphrase = network.networkPassphrase
  }

  /** Resolves with the hash when a ledger has the payment. */
  pay(destination: string, amount: string, asset = Asset.native()): Promise<string> {
    return this.#run(Operation.payment({ destination, amount, asset }))
  }

  trust(asset: Asset): Promise<string> {
    return this.#run(Operation.changeTrust({ asset }))
  }

  /** Another device may have used the sequence number: then the account is read again, once. */
  async #run(operation: xdr.Operation): Promise<string> {
    try {
      return await this.#send(operation)
    } catch (error) {
      this.#account = undefined
      if (!(error instanceof WalletError) || error.code !== 'txBadSeq') throw error
      return await this.#send(operation)
    }
  }

  async #send(operation: xdr.Operation): Promise<string> {
    this.#account ??= await this.#server.getAccount(this.#key.publicKey())
    const transaction = new TransactionBuilder(this.#account, {
      fee: '1000',
      networkPassphrase: this.#networkPassphrase,
    })
      .addOperation(operation)
      .setTimeout(VALID_SECONDS)
      .build()
    transaction.sign(this.#key)
    const { status, hash, errorResult } = await this.#server.sendTransaction(transaction)
    if (status !== 'PENDING') throw new WalletError(errorResult?.result.type ?? status)
    const applied = await this.#server.pollTransaction(hash)
    if (applied.status === 'SUCCESS') return hash
    throw new WalletError(applied.status === 'FAILED' ? codeOf(applied.resultXdr) : applied.status)
  }
}

/** The code of the first operation, such as `paymentNoTrust`. */
function codeOf({ result }: xdr.TransactionResult): string {
  if (result.type !== 'txFailed') return result.type
  const [operation] = result.results
  if (operation?.type !== 'opInner') return operation?.type ?? result.type
  const inner: { value: { type: string } } = operation.tr
  return inner.value.type
}
