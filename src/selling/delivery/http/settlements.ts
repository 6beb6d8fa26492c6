import { AsyncLocalStorage } from 'node:async_hooks'
import { paymentKey } from '../claim.ts'
import type { SettlingServer } from './options.ts'

type Settle = SettlingServer['settlePayment']
export type Settlement = Parameters<Settle>

/** The settlement of one request. */
export interface SettlementWatch {
  /** Of the payment of the request: `paymentKey`. */
  readonly key: string
  /** Is told of the settlement before it begins; nothing is settled when this throws. */
  before(settlement: Settlement): Promise<void>
}

/** The settlements of a stock server, each of which waits until what it pays for is stored. */
export class Settlements {
  /** Settles at once. */
  readonly settle: Settle
  /** Of the request that is served: several requests of one process may have the same payment. */
  readonly #watches = new AsyncLocalStorage<SettlementWatch>()

  constructor(resources: SettlingServer) {
    const settle = resources.settlePayment.bind(resources)
    this.settle = settle
    resources.settlePayment = async (...settlement) => {
      const watch = this.#watches.getStore()
      // What serves one request may settle another payment too, such as that of a tool.
      if (watch?.key === paymentKey(settlement[0])) await watch.before(settlement)
      return settle(...settlement)
    }
  }

  /** Serves a request: what `serve` begins tells `watch` of the settlement. */
  run<T>(watch: SettlementWatch, serve: () => T): T {
    return this.#watches.run(watch, serve)
  }
}
