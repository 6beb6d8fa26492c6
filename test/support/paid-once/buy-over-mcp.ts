import { Budget } from '../../../src/buying/budget/budget.ts'
import { sellers } from '../../../src/buying/mcp/seller/sellers.ts'
import { PayFailure } from '../../../src/buying/outcome/pay-failure.ts'
import { buy } from '../../../src/buying/pay/buy.ts'
import { quotePurchase } from '../../../src/buying/pay/quote-purchase.ts'
import { walletOf } from '../../../src/buying/sign/sign-payment.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import type { Journal } from './journal.ts'
import { argumentsOf, type BuyerSettings, network, PRICE, urlOf } from './settings.ts'

/** As `svc pay mcp+http://...` buys, but for the output. @returns whether it is over */
export function toolBuyer(
  { secrets, sellerUrl, rpcUrl }: BuyerSettings,
  journal: Journal,
): (n: number) => Promise<boolean> {
  const clock = systemClock
  const http = sellers()
  const wallets = secrets.map((secret) => walletOf(secret, network, rpcUrl))
  const budget = new Budget({ file: journal.budgetFile, limit: 0n, clock })
  return async (n) => {
    const url = urlOf('mcp', sellerUrl, n)
    const call = { url, method: 'tools/call', body: argumentsOf(n) }
    let payment = ''
    try {
      const quoted = await quotePurchase(http, call, { network, budget })
      await buy(quoted, { maxAmount: PRICE }, wallets[n % wallets.length]!, {
        ...{ http, clock, budget, waits: false, say: () => undefined },
        reserve: () => budget.reserve(0n, quoted.call),
        beforeSending: (header) => {
          payment = header
        },
        onPaid: async ({ answer }) => {
          const receipt = answer.headers.get('payment-response') ?? ''
          journal.write({ n, payment, receipt, goods: Buffer.from(answer.body).toString() })
        },
      })
      return true
    } catch (error) {
      if (!(error instanceof PayFailure)) throw error
      journal.note(n, `${error.code}: ${error.message}`)
      // The buyer has paid, and its next call would be another purchase.
      const isLost = error.code === 'paid_without_answer'
      if (isLost) journal.write({ n, says: `${error.message} ${error.hint}` })
      return isLost
    }
  }
}
