import { readFile } from 'node:fs/promises'
import {
  Address,
  contract,
  hash,
  type Keypair,
  Operation,
  rpc,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { messageOf } from '../../platform/core/text/error-message.ts'
import type { AppliedTransaction } from '../closing/history.ts'
import type { Localnet } from '../network.ts'
import { rootKeypair } from '../root-account.ts'
import type { ContractArguments } from './embedded-network.ts'

interface Deps {
  readonly network: Localnet
  readonly rpcUrl: string
  /** Whether it closes the ledgers that it needs; otherwise it waits for them. */
  readonly closesOnDemand: boolean
}

/** Above the base fee, so that a full ledger includes it. Stroops. */
const INCLUSION_FEE = '1000000'
/** The queue drops a transaction after four ledgers without it. */
const LEDGERS_TO_WAIT = 6

/** Deploys contracts through the RPC as the root account, which exists from the first ledger on. */
export class Deployer {
  readonly #deps: Deps
  readonly #root: Keypair
  readonly #rpc: rpc.Server
  /** One at a time: each transaction has the next sequence number of the root account. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(deps: Deps) {
    this.#deps = deps
    this.#root = rootKeypair(deps.network.networkId)
    this.#rpc = new rpc.Server(deps.rpcUrl, { allowHttp: true })
  }

  /** Returns the id of a new instance. */
  deploy(source: Uint8Array | string | URL, args: ContractArguments = []): Promise<string> {
    const deployed = this.#last.then(async () => {
      const wasm = source instanceof Uint8Array ? source : await readFile(source)
      await this.#upload(wasm)
      return await this.#create(wasm, args)
    })
    this.#last = deployed.catch(() => undefined)
    return deployed
  }

  async #upload(wasm: Uint8Array): Promise<void> {
    const { network } = this.#deps
    const key = xdr.LedgerKey.contractCode(new xdr.LedgerKeyContractCode({ hash: hash(wasm) }))
    const stored = network.entry(key.toXdr())
    if ((stored?.liveUntil ?? 0) > network.latest.sequence) return
    await this.#send(Operation.uploadContractWasm({ wasm }))
  }

  async #create(wasm: Uint8Array, args: ContractArguments): Promise<string> {
    const constructorArgs = isPositional(args)
      ? [...args]
      : contract.Spec.fromWasm(wasm).funcArgsToScVals('__constructor', args)
    const operation = Operation.createCustomContract({
      address: Address.fromString(this.#root.publicKey()),
      wasmHash: hash(wasm),
      constructorArgs,
    })
    const { hash: sent } = await this.#send(operation)
    const applied = await this.#rpc.getTransaction(sent)
    if (applied.status !== rpc.Api.GetTransactionStatus.SUCCESS || !applied.returnValue) {
      throw new Error(`the transaction ${sent} returned no contract`)
    }
    return Address.fromScVal(applied.returnValue).toString()
  }

  async #send(operation: xdr.Operation): Promise<AppliedTransaction> {
    const { network } = this.#deps
    const account = await this.#rpc.getAccount(this.#root.publicKey())
    const transaction = new TransactionBuilder(account, {
      fee: INCLUSION_FEE,
      networkPassphrase: network.passphrase,
    })
      .addOperation(operation)
      .setTimeout(0)
      .build()
    const prepared = await this.#rpc.prepareTransaction(transaction).catch((cause: unknown) => {
      throw new Error(`the contract cannot be deployed: ${messageOf(cause)}`, { cause })
    })
    prepared.sign(this.#root)
    const { hash: sent, status } = await this.#rpc.sendTransaction(prepared)
    if (status !== 'PENDING') throw new Error(`the deployment was refused: ${status}`)
    const applied = await this.#applied(sent)
    if (!applied.successful) throw new Error(`the deployment failed: transaction ${sent}`)
    return applied
  }

  async #applied(sent: string): Promise<AppliedTransaction> {
    const { network, closesOnDemand } = this.#deps
    for (let ledger = 0; ledger < LEDGERS_TO_WAIT; ledger++) {
      const applied = network.transaction(sent)
      if (applied) return applied
      await (closesOnDemand ? network.closeLedger() : nextLedger(network))
    }
    throw new Error(`no ledger included the transaction ${sent}`)
  }
}

const isPositional = (args: ContractArguments): args is readonly xdr.ScVal[] => Array.isArray(args)

function nextLedger(network: Localnet): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const stop = network.onClose(() => {
    stop()
    resolve()
  })
  return promise
}
