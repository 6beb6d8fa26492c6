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
  type xdr,
} from '@stellar/stellar-sdk'
import { forwarderWasm, forwardingConstructorWasm } from '../../../support/forwarder-wasm.ts'
import { accountEntry } from '../../../support/ledger-view.ts'
import type { PromptLocalnet } from '../../../support/prompt-localnet.ts'
import { constructorOf, forwardOf, type Held, invoke, type Scheme, takingOf } from './held.ts'

const bothTakes = [
  'nothing',
  'a call',
  'a constructor',
  "a contract's call",
  'a fee bump',
  'the last ledger',
] as const
/** Of each scheme. A metered price is always settled by an operation of another account, its authority. */
export const takes = {
  exact: [...bothTakes, "another account's operation"],
  upto: [...bothTakes, 'a part', 'a settlement of zero'],
} as const satisfies Record<Scheme, readonly string[]>
/** `another facilitator` settles for whoever asks it. */
export type Take = (typeof takes)[Scheme][number] | 'another facilitator'
type TakeNow = Exclude<Take, 'nothing' | 'the last ledger'>

/** A price, or the ceiling of a metered one, in base units. */
export const PRICE = 100_000n
const PART = 40_000n

/** What leaves the payer. */
export function amountOf(take: Take, scheme: Scheme): bigint {
  if (take === 'nothing' || take === 'a settlement of zero') return 0n
  const isPart = take === 'a part' || (take === 'another facilitator' && scheme === 'upto')
  return isPart ? PART : PRICE
}

const FEE = '10000'
const BUMP_FEE = '1000000'
const ACCOUNTS = 8

interface TakerOptions {
  readonly network: PromptLocalnet
  /** Of the network's RPC. */
  readonly url: string
  /** Base URL. */
  readonly facilitator?: string | undefined
}

/** Sends what others signed, each time as a stranger could. */
export class Taker {
  readonly #network: PromptLocalnet
  readonly #server: rpc.Server
  readonly #facilitator: string | undefined
  readonly #keys = Array.from({ length: ACCOUNTS }, () => Keypair.random())
  readonly #authority = Keypair.random()
  #forwarder = ''
  #sent = 0
  #last: Promise<unknown> = Promise.resolve()

  private constructor({ network, url, facilitator }: TakerOptions) {
    this.#network = network
    this.#server = new rpc.Server(url, { allowHttp: true })
    this.#facilitator = facilitator
  }

  static async open(options: TakerOptions): Promise<Taker> {
    const { network } = options
    const taker = new Taker(options)
    for (const key of [...taker.#keys, taker.#authority]) {
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
    if (!created) throw new Error('no contract was made')
    taker.#forwarder = Address.fromScVal(created).toString()
    return taker
  }

  /** Settles metered prices. */
  get authority(): string {
    return this.#authority.publicKey()
  }

  /** Resolves when the money has moved; one at a time. Rejects when it cannot any more. */
  take(how: TakeNow, held: Held): Promise<void> {
    const taking = this.#last.then(() => this.#take(how, held))
    this.#last = taking.catch(() => undefined)
    return taking
  }

  /** Each in the last ledger in which it is valid. @returns those that could still be taken */
  async takeLast(all: readonly Held[]): Promise<readonly Held[]> {
    await this.#last
    const taken: Held[] = []
    for (const [lastLedger, some] of Map.groupBy(all, (held) => held.lastLedger)) {
      while (this.#network.latest.sequence < lastLedger - 1) await this.#network.closeLedger()
      const sent = await Promise.all(some.map((held) => this.#submitCall('the last ledger', held)))
      await this.#network.closeLedger()
      const applied = some.filter((_, n) => this.#network.transaction(sent[n] ?? '')?.successful)
      if (applied.length > 0 && this.#network.latest.sequence !== lastLedger)
        throw new Error('late')
      taken.push(...applied)
    }
    return taken
  }

  async #take(how: TakeNow, held: Held): Promise<void> {
    if (how === 'another facilitator') return this.#settleThrough(held)
    await this.#applied(await this.#submitCall(how, held))
  }

  /** @returns the hash */
  #submitCall(how: Exclude<Take, 'nothing' | 'another facilitator'>, held: Held): Promise<string> {
    const key = this.#nextKey()
    const taking = takingOf(held, amountOf(how, held.scheme))
    // Signs as the source of the operation, where that is another account.
    const other = held.scheme === 'upto' ? this.#authority : undefined
    const keys = { key, ...(other && { other }) }
    const source = other?.publicKey()
    switch (how) {
      case 'a constructor':
        return this.#submit(constructorOf(taking, source ?? key.publicKey()), keys)
      case "a contract's call":
        return this.#submit(invoke(forwardOf(taking, this.#forwarder), source), keys)
      case 'a fee bump':
        return this.#submit(invoke(taking, source), { ...keys, feeKey: this.#nextKey() })
      case "another account's operation": {
        const stranger = this.#nextKey()
        return this.#submit(invoke(taking, stranger.publicKey()), { key, other: stranger })
      }
      default:
        return this.#submit(invoke(taking, source), keys)
    }
  }

  async #settleThrough({ scheme, payment }: Held): Promise<void> {
    const amount = String(amountOf('another facilitator', scheme))
    const answer = await fetch(`${this.#facilitator}/settle`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        x402Version: 2,
        paymentPayload: payment,
        paymentRequirements: { ...payment.accepted, amount },
      }),
    })
    const settled = await answer.json()
    if (!Object(settled).success) throw new Error(JSON.stringify(settled))
  }

  #nextKey(): Keypair {
    return this.#keys[this.#sent++ % ACCOUNTS] as Keypair
  }

  async #send(operation: xdr.Operation, keys: Keys): Promise<xdr.ScVal | undefined> {
    return this.#applied(await this.#submit(operation, keys))
  }

  async #applied(id: string): Promise<xdr.ScVal | undefined> {
    await this.#network.closeLedger()
    if (!this.#network.transaction(id)?.successful) throw new Error('the ledger refused it')
    const applied = await this.#server.getTransaction(id)
    if (applied.status !== rpc.Api.GetTransactionStatus.SUCCESS) throw new Error(applied.status)
    return applied.returnValue
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
