import { readPaidCall } from '../../buying/pay/timed-call.ts'
import { ledgerReader } from '../observe/ledger-reader.ts'
import { type ObservedPayment, observePayment } from '../observe/observed-payment.ts'
import { runChild } from '../programs/child.ts'
import type { DemoState } from '../state/demo-state.ts'
import type { DemoOptions } from './demo-options.ts'

interface PaidStep {
  readonly name: string
  readonly url: string
  /** The libraries of the buyer's program. */
  readonly client: string
}

export const fixedPrice = ({ paidUrl }: DemoState): PaidStep => ({
  name: 'payment',
  url: paidUrl,
  client: 'stock @x402/core and @x402/stellar',
})

export const metered = ({ meteredUrl }: DemoState): PaidStep => ({
  name: 'metered payment',
  url: meteredUrl,
  client: 'stock @x402/core with the scheme upto',
})

/** One paid call by a process of its own, with its effect on the ledger. */
export async function pay(
  { parts, progress, signal }: DemoOptions,
  state: DemoState,
  { name, url, client }: PaidStep,
): Promise<ObservedPayment> {
  const ledger = ledgerReader(state.networkUrl, state.passphrase)
  return progress.step(
    name,
    async () => {
      const observed = await observePayment(ledger, state.parties)
      const printed = await runChild(parts.buyer({ ...state, url }), signal)
      return observed(readPaidCall(printed))
    },
    () => client,
  )
}
