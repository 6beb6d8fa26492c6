/** The ways in which whoever holds a signed payment can bring it to the ledger. */
import { randomBytes } from 'node:crypto'
import {
  Account,
  Address,
  hash,
  Keypair,
  Operation,
  rpc,
  Transaction,
  TransactionBuilder,
  xdr,
} from '@stellar/stellar-sdk'
import { readClientEnvelope } from '../../../src/stellar/client-envelope.ts'
import { forwarderWasm, forwardingConstructorWasm } from '../../support/forwarder-wasm.ts'
import { accountEntry } from '../../support/ledger-view.ts'
import type { PromptLocalnet } from '../../support/prompt-localnet.ts'

export const takes = [
  'nothing',
  'a transfer',
  'a constructor',
  "a contract's call",
  'a fee bump',
  "another account's operation",
  'the last ledger',
] as const
export type Take = (typeof takes)[number]

/** What the payer signed. */
export interface Held {
  readonly call: xdr.InvokeContractArgs
  readonly auth: xdr.SorobanAuthorizationEntry
  readonly nonce: bigint
  readonly lastLedger: number
}

/** @param header of the paid call */
export function readHeld(header: string): Held {
  const { payload } = JSON.parse(Buffer.from(header, 'base64').toString())
  const envelope = xdr.TransactionEnvelope.fromXdr(payload.transaction, 'base64')
  if (envelope.type !== 'envelopeTypeTx') throw new TypeError(envelope.type)
  const body = envelope.v1.tx.operations[0]?.body
  if (body?.type !== 'invokeHostFunction') throw new TypeError(body?.type)
  const { hostFunction, auth } = body.invokeHostFunctionOp
  const [entry] = auth
  if (hostFunction.type !== 'hostFunctionTypeInvokeContract' || !entry) throw new TypeError()
  const [operation] = readClientEnvelope(payload.transaction).operations
  const [signed] = operation?.invocation?.auth ?? []
  if (!signed || signed.credentials === 'sourceAccount') throw new TypeError('nobody signed')
  const { nonce, expirationLedger: lastLedger } = signed
  return { call: hostFunction.invokeContract, auth: entry, nonce, lastLedger }
}

const FEE = '10000'
const BUMP_FEE = '1000000'
const ACCOUNTS = 8

/** Sends what others signed, each time as a stranger could. */
export class Taker {
  readonly #network: PromptLocalnet
  readonly #server: rpc.Server
  readonly #keys = Array.from({ length: ACCOUNTS }, () => Keypair.random())
  #forwarder = ''
  #sent = 0
  #last: Promise<unknown> = Promise.resolve()

  private constructor(network: PromptLocalnet, url: string) {
    this.#network = network
    this.#server = new rpc.Server(url, { allowHttp: true })
  }

  /** @param url of the network's RPC */
  static async open(network: PromptLocalnet, url: string): Promise<Taker> {
    const taker = new Taker(network, url)
    for (const key of taker.#keys) {
      const request = {
        address: key.publicKey(),
        asset: 'XLM',
        amount: 10_000_000_000_000n,
      } as const
      await Promise.all([network.faucet(request), network.closeLedger()])
    }
    for (const wasm of [forwarderWasm(), forwardingConstructorWasm()]) {
      await taker.#send(Operation.uploadContractWasm({ wasm }), { key: taker.#nextKey() })
    }
    const key = taker.#nextKey()
    const address = Address.fromString(key.publicKey())
    const wasmHash = hash(forwarderWasm())
    const created = await taker.#send(
      Operation.createCustomContract({ address, wasmHash, salt: randomBytes(32) }),
      { key },
    )
    taker.#forwarder = Address.fromScVal(created).toString()
    return taker
  }

  /** Resolves when the money has moved; one at a time. Rejects when it cannot any more. */
  take(how: Exclude<Take, 'the last ledger'>, held: Held): Promise<void> {
    const taking = this.#last.then(() => this.#take(how, held))
    this.#last = taking.catch(() => undefined)
    return taking
  }

  /** Each in the last ledger in which it is valid. @returns how many could still be taken */
  async takeLast(all: readonly Held[]): Promise<number> {
    await this.#last
    let taken = 0
    for (const [lastLedger, some] of Map.groupBy(all, (held) => held.lastLedger)) {
      while (this.#network.latest.sequence < lastLedger - 1) await this.#network.closeLedger()
      const sent = await Promise.all(
        some.map(({ call, auth }) => this.#submit(invoke(call, auth), { key: this.#nextKey() })),
      )
      await this.#network.closeLedger()
      const applied = sent.filter((id) => this.#network.transaction(id)?.successful)
      if (applied.length > 0 && this.#network.latest.sequence !== lastLedger)
        throw new Error('late')
      taken += applied.length
    }
    return taken
  }

  async #take(how: Exclude<Take, 'the last ledger'>, held: Held): Promise<void> {
    const key = this.#nextKey()
    const { call, auth } = held
    switch (how) {
      case 'nothing':
        return
      case 'a transfer':
        return void (await this.#send(invoke(call, auth), { key }))
      case 'a constructor':
        return void (await this.#send(constructorOf(held, key.publicKey()), { key }))
      case "a contract's call":
        return void (await this.#send(invoke(forwardOf(held, this.#forwarder), auth), { key }))
      case 'a fee bump':
        return void (await this.#send(invoke(call, auth), { key, feeKey: this.#nextKey() }))
      case "another account's operation": {
        const other = this.#nextKey()
        return void (await this.#send(invoke(call, auth, other.publicKey()), { key, other }))
      }
    }
  }

  #nextKey(): Keypair {
    return this.#keys[this.#sent++ % ACCOUNTS] as Keypair
  }

  async #send(operation: xdr.Operation, keys: Keys): Promise<xdr.ScVal> {
    const id = await this.#submit(operation, keys)
    await this.#network.closeLedger()
    if (!this.#network.transaction(id)?.successful) throw new Error('the ledger refused it')
    const applied = await this.#server.getTransaction(id)
    if (applied.status !== rpc.Api.GetTransactionStatus.SUCCESS) throw new Error(applied.status)
    return applied.returnValue ?? xdr.ScVal.scvVoid()
  }

  /** @returns the hash */
  async #submit(operation: xdr.Operation, { key, other, feeKey }: Keys): Promise<string> {
    const { seqNum } = accountEntry(this.#network, key.publicKey())
    const { passphrase } = this.#network
    const built = new TransactionBuilder(new Account(key.publicKey(), String(seqNum)), {
      fee: FEE,
      networkPassphrase: passphrase,
    })
      .addOperation(operation)
      .setTimeout(0)
      .build()
    const prepared = await this.#server.prepareTransaction(built)
    if (!(prepared instanceof Transaction)) throw new TypeError('a fee bump was prepared')
    prepared.sign(key, ...(other ? [other] : []))
    if (!feeKey) return this.#network.submit(prepared.toEnvelope().toXdr()).hash
    const bump = TransactionBuilder.buildFeeBumpTransaction(feeKey, BUMP_FEE, prepared, passphrase)
    bump.sign(feeKey)
    return this.#network.submit(bump.toEnvelope().toXdr()).hash
  }
}

interface Keys {
  readonly key: Keypair
  /** Of the operation's own source. */
  readonly other?: Keypair
  readonly feeKey?: Keypair
}

function invoke(
  call: xdr.InvokeContractArgs,
  auth: xdr.SorobanAuthorizationEntry,
  source?: string,
): xdr.Operation {
  const func = xdr.HostFunction.hostFunctionTypeInvokeContract(call)
  return Operation.invokeHostFunction({
    func,
    auth: [auth],
    ...(source !== undefined && { source }),
  })
}

/** Contract, function and arguments of what a forwarder calls. */
const forwarded = ({ call }: Held): xdr.ScVal[] => [
  xdr.ScVal.scvAddress(call.contractAddress),
  xdr.ScVal.scvSymbol(String(call.functionName)),
  xdr.ScVal.scvVec([...call.args]),
]

const forwardOf = (held: Held, forwarder: string): xdr.InvokeContractArgs =>
  new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(forwarder).toScAddress(),
    functionName: 'run',
    args: forwarded(held),
  })

/** Whoever makes a contract pays with the payer's entry beside its own. */
function constructorOf(held: Held, creator: string): xdr.Operation {
  const creation = new xdr.CreateContractArgsV2({
    contractIdPreimage: xdr.ContractIdPreimage.contractIdPreimageFromAddress(
      new xdr.ContractIdPreimageFromAddress({
        address: Address.fromString(creator).toScAddress(),
        salt: randomBytes(32),
      }),
    ),
    executable: xdr.ContractExecutable.contractExecutableWasm(hash(forwardingConstructorWasm())),
    constructorArgs: forwarded(held),
  })
  const { sorobanAuthorizedFunctionTypeCreateContractV2HostFn: ofCreation } =
    xdr.SorobanAuthorizedFunction
  const own = new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsSourceAccount(),
    rootInvocation: new xdr.SorobanAuthorizedInvocation({
      function: ofCreation(creation),
      subInvocations: [],
    }),
  })
  const func = xdr.HostFunction.hostFunctionTypeCreateContractV2(creation)
  return Operation.invokeHostFunction({ func, auth: [own, held.auth] })
}
