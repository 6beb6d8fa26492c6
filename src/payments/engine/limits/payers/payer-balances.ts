import { readTokenBalance, type TokenBalance } from '../../../../stellar/contracts/token-balance.ts'
import type { StellarRpc } from '../../../../stellar/rpc/rpc.ts'

/** One payer's balance of one asset. */
export interface HeldAsset {
  readonly payer: string
  /** Contract. */
  readonly asset: string
}

/** Payments of earlier ledgers than these are in every simulation that a request can still be waiting for. */
const REMEMBERED_LEDGERS = 10

/**
 * Balances of the payers of one network. Requests of one payer that come together share one read, and a
 * balance serves until a request needs that of a later ledger.
 */
export class PayerBalances {
  readonly #rpc: Pick<StellarRpc, 'simulate'>
  readonly #known = new Map<string, TokenBalance>()
  readonly #reads = new Map<string, Promise<TokenBalance>>()
  /** The ledger of the last payment that this process saw succeed, by payer. */
  readonly #paidOn = new Map<string, number>()

  constructor(rpc: Pick<StellarRpc, 'simulate'>) {
    this.#rpc = rpc
  }

  /** The balance at `ledger` or a later one. Throws `RpcError` when no endpoint answers. */
  async read(held: HeldAsset, ledger: number): Promise<TokenBalance> {
    const known = this.#known.get(idOf(held))
    if (known && known.ledger >= ledger) return known
    const balance = await this.#readOnce(held)
    // The read may have begun before `ledger` closed, or at an endpoint that was behind.
    return balance.ledger >= ledger ? balance : this.#readOnce(held)
  }

  /**
   * The last ledger in which the payer is known to have paid; 0 when none is remembered. A simulation of an
   * earlier ledger proves nothing about what the payer still holds.
   */
  paidOn(payer: string): number {
    return this.#paidOn.get(payer) ?? 0
  }

  /** Has to be called before the store shows the payment as finished. */
  notePaid(payer: string, ledger: number): void {
    if (ledger <= this.paidOn(payer)) return
    for (const [other, paidOn] of this.#paidOn) {
      if (paidOn > ledger - REMEMBERED_LEDGERS) break
      this.#paidOn.delete(other)
    }
    // Deleted first, so that the oldest ledgers stay at the front.
    this.#paidOn.delete(payer)
    this.#paidOn.set(payer, ledger)
  }

  #readOnce(held: HeldAsset): Promise<TokenBalance> {
    const id = idOf(held)
    const begun = this.#reads.get(id)
    if (begun !== undefined) return begun
    const read = readTokenBalance(this.#rpc, held.asset, held.payer)
      .then((balance) => {
        this.#remember(id, balance)
        return balance
      })
      .finally(() => this.#reads.delete(id))
    this.#reads.set(id, read)
    return read
  }

  /** Forgets the balances of earlier ledgers, which no request needs again. */
  #remember(id: string, balance: TokenBalance): void {
    const [known] = this.#known.values()
    if (known && known.ledger !== balance.ledger) this.#known.clear()
    this.#known.set(id, balance)
  }
}

const idOf = ({ payer, asset }: HeldAsset): string => `${payer} ${asset}`
