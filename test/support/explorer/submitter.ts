import {
  type Keypair,
  type Memo,
  Operation,
  rpc,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import type { ContractNetwork } from '../contracts.ts'

export interface Submission {
  /** Source of the transaction. */
  readonly from: Keypair
  readonly operations: readonly xdr.Operation[]
  /** Beside the source. */
  readonly signers?: readonly Keypair[]
  /** Source of a fee bump around it. */
  readonly feeBump?: Keypair
  readonly memo?: Memo
}

/** Builds and sends transactions of any form to a network that closes a ledger after each. */
export class Submitter {
  readonly #network: ContractNetwork
  readonly #server: rpc.Server

  constructor(network: ContractNetwork) {
    this.#network = network
    this.#server = new rpc.Server(network.httpUrl, { allowHttp: true })
  }

  /** Returns the hash, 64 hex digits; the transaction may fail on the ledger. */
  async submit(submission: Submission): Promise<string> {
    return this.send(await this.prepare(submission))
  }

  /** Simulates calls of contracts, and signs. */
  async prepare(submission: Submission): Promise<string> {
    const { from, operations, signers = [], feeBump, memo } = submission
    const { passphrase: networkPassphrase } = this.#network.network
    const account = await this.#server.getAccount(from.publicKey())
    const builder = new TransactionBuilder(account, { fee: '1000', networkPassphrase })
    for (const operation of operations) builder.addOperation(operation)
    if (memo) builder.addMemo(memo)
    const built = builder.setTimeout(0).build()
    const isCall = operations.some(({ body }) => body.type === 'invokeHostFunction')
    const tx = isCall ? await this.#server.prepareTransaction(built) : built
    tx.sign(from, ...signers)
    if (!feeBump) return tx.toXDR()
    const bump = TransactionBuilder.buildFeeBumpTransaction(feeBump, '1000', tx, networkPassphrase)
    bump.sign(feeBump)
    return bump.toXDR()
  }

  async send(envelopeXdr: string): Promise<string> {
    const { passphrase } = this.#network.network
    const transaction = TransactionBuilder.fromXDR(envelopeXdr, passphrase)
    const { hash, status, errorResult } = await this.#server.sendTransaction(transaction)
    if (status !== 'PENDING') throw new Error(`${status}: ${JSON.stringify(errorResult?.toJson())}`)
    await this.#network.closeLedger()
    return hash
  }
}

/** A call of a contract, by default without any authorization but that of the transaction's source. */
export const callOperation = (
  call: xdr.InvokeContractArgs,
  auth: xdr.SorobanAuthorizationEntry[] = [],
  source?: string,
): xdr.Operation =>
  Operation.invokeHostFunction({
    func: xdr.HostFunction.hostFunctionTypeInvokeContract(call),
    auth,
    ...(source !== undefined && { source }),
  })
