/** Puts the contracts of `test/fixtures/contracts`, and the settlement contract, on a running network. */
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import {
  Address,
  hash,
  Keypair,
  Operation,
  rpc,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { batchWasm } from './batch-wasm.ts'
import { type Greed, greedyAccountWasm } from './greedy-account.ts'
import { addressValue, i128, usdc, type Wallet } from './payments.ts'
import { policyAccountArgs } from './policy-account.ts'
import { type RuleAccount, spendingLimits } from './rule-account.ts'

/** A network in this process or another. */
export interface ContractNetwork {
  readonly network: { readonly passphrase: string }
  /** Of its RPC. */
  readonly httpUrl: string
  /** From the faucet, in base units. */
  pay(request: {
    readonly address: string
    readonly asset: 'XLM' | 'USDC'
    readonly amount: bigint
  }): Promise<unknown>
  /** Resolves once what was sent is on a ledger. */
  closeLedger(): Promise<unknown>
}

const smartAccountModes = { quiet: 0, loud: 1, ringing: 2, oncePerLedger: 3 } as const
export type SmartAccountMode = keyof typeof smartAccountModes

export const trickTokenModes = {
  honest: 0,
  twice: 1,
  wrongAmount: 2,
  wrongFrom: 3,
  wrongTo: 4,
  otherTopic: 5,
  silent: 6,
  ringing: 7,
  mapData: 8,
  guarded: 9,
} as const
export type TrickTokenMode = keyof typeof trickTokenModes

/** Deploys and calls contracts as an account of its own. */
export class Deployer {
  readonly #localnet: ContractNetwork
  readonly #server: rpc.Server
  readonly #key = Keypair.random()
  readonly #uploaded = new Set<string>()
  #ready: Promise<unknown> | undefined

  constructor(localnet: ContractNetwork) {
    this.#localnet = localnet
    this.#server = new rpc.Server(localnet.httpUrl, { allowHttp: true })
  }

  bell(): Promise<string> {
    return this.#deploy('bell', [])
  }

  /** A smart account, by default with 10 USDC; `bell` is rung by the ringing ones. */
  async smartAccount(
    mode: SmartAccountMode = 'quiet',
    bell?: string,
    amount = 100_000_000n,
  ): Promise<Wallet> {
    const key = Keypair.random()
    const address = await this.#deploy('smart-account', [
      xdr.ScVal.scvBytes(key.rawPublicKey()),
      xdr.ScVal.scvU32(smartAccountModes[mode]),
      bell ? addressValue(bell) : xdr.ScVal.scvVoid(),
    ])
    await this.#localnet.pay({ address, asset: 'USDC', amount })
    return { address, key }
  }

  /** A smart account with 10 USDC, whose spending policy lets it spend half of them. */
  async policyAccount(eventName?: string): Promise<Wallet & { readonly policy: string }> {
    const key = Keypair.random()
    const policy = await this.#deploy('spending-policy', [
      eventName === undefined ? xdr.ScVal.scvVoid() : xdr.ScVal.scvSymbol(eventName),
    ])
    const args = policyAccountArgs(key, { contract: usdc, policies: [policy] })
    const address = await this.#deploy('policy-account', [...args, i128(50_000_000n)])
    await this.#localnet.pay({ address, asset: 'USDC', amount: 100_000_000n })
    return { address, key, policy }
  }

  /** An account of one passkey, with 10 USDC. @param key uncompressed point of P-256 */
  async passkeyAccount(key: Uint8Array): Promise<string> {
    const address = await this.#deploy('passkey-account', [xdr.ScVal.scvBytes(key)])
    await this.#localnet.pay({ address, asset: 'USDC', amount: 100_000_000n })
    return address
  }

  /** Verifies the signatures of external signers. */
  verifier(): Promise<string> {
    return this.#deploy('verifier', [])
  }

  /** An account with context rules and 10 USDC. A policy limits what its agent may spend of them. */
  async ruleAccount({ owner, agent, limit, lastLedger }: RuleAccount) {
    const policy = await this.#deploy('spending-limit', [])
    const address = await this.#deploy('rule-account', [
      owner,
      agent,
      addressValue(usdc),
      spendingLimits(policy, limit),
      lastLedger === undefined ? xdr.ScVal.scvVoid() : xdr.ScVal.scvU32(lastLedger),
    ])
    await this.#localnet.pay({ address, asset: 'USDC', amount: 100_000_000n })
    return { address, policy }
  }

  /** A smart account with 10 USDC that uses what `greed` says. */
  async greedyAccount(greed: Greed): Promise<Wallet> {
    const name = `greedy ${JSON.stringify(greed)}`
    const address = await this.#create(name, greedyAccountWasm(greed), [])
    await this.#localnet.pay({ address, asset: 'USDC', amount: 100_000_000n })
    return { address, key: Keypair.random() }
  }

  trickToken(mode: TrickTokenMode, bell?: string): Promise<string> {
    return this.#deploy('trick-token', [
      xdr.ScVal.scvU32(trickTokenModes[mode]),
      bell ? addressValue(bell) : xdr.ScVal.scvVoid(),
    ])
  }

  /** Moves USDC in calls below its own. */
  router(): Promise<string> {
    return this.#deploy('router', [addressValue(usdc)])
  }

  /** Makes two transfers of a token in one call. */
  batch(): Promise<string> {
    return this.#create('batch', batchWasm(), [])
  }

  /** The settlement contract of the scheme `upto`. */
  upto(): Promise<string> {
    return this.#deploy('upto', [])
  }

  mint(token: string, to: string, amount = 100_000_000n): Promise<unknown> {
    return this.call(token, 'mint', addressValue(to), i128(amount))
  }

  call(contract: string, functionName: string, ...args: xdr.ScVal[]): Promise<xdr.ScVal> {
    return this.send(
      Operation.invokeHostFunction({
        func: xdr.HostFunction.hostFunctionTypeInvokeContract(
          new xdr.InvokeContractArgs({
            contractAddress: Address.fromString(contract).toScAddress(),
            functionName,
            args,
          }),
        ),
        auth: [],
      }),
    )
  }

  /** Simulates, sends, closes the ledger and answers what the operation returned. */
  async send(operation: xdr.Operation): Promise<xdr.ScVal> {
    this.#ready ??= this.#localnet.pay({
      address: this.#key.publicKey(),
      asset: 'XLM',
      amount: 1_000_000_000_000n,
    })
    await this.#ready
    const account = await this.#server.getAccount(this.#key.publicKey())
    const transaction = new TransactionBuilder(account, {
      fee: '1000',
      networkPassphrase: this.#localnet.network.passphrase,
    })
      .addOperation(operation)
      .setTimeout(0)
      .build()
    const prepared = await this.#server.prepareTransaction(transaction)
    prepared.sign(this.#key)
    const { hash: sent, status } = await this.#server.sendTransaction(prepared)
    await this.#localnet.closeLedger()
    const applied = await this.#server.getTransaction(sent)
    if (applied.status !== rpc.Api.GetTransactionStatus.SUCCESS) {
      throw new Error(`a transaction was ${status}, then ${applied.status}`)
    }
    return applied.returnValue ?? xdr.ScVal.scvVoid()
  }

  #deploy(name: string, constructorArgs: xdr.ScVal[]): Promise<string> {
    const folder = name === 'upto' ? '../../contracts' : '../fixtures/contracts'
    const wasm = readFileSync(new URL(`${folder}/${name}/${name}.wasm`, import.meta.url))
    return this.#create(name, wasm, constructorArgs)
  }

  async #create(name: string, wasm: Buffer, constructorArgs: xdr.ScVal[]): Promise<string> {
    if (!this.#uploaded.has(name)) await this.send(Operation.uploadContractWasm({ wasm }))
    this.#uploaded.add(name)
    const created = await this.send(
      Operation.createCustomContract({
        address: Address.fromString(this.#key.publicKey()),
        wasmHash: hash(wasm),
        salt: randomBytes(32),
        constructorArgs,
      }),
    )
    return Address.fromScVal(created).toString()
  }
}
