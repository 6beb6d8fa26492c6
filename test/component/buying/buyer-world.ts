/** A buyer with USDC on a real network, and the means to look at its balance. */

import type { PayFailure } from '../../../src/buying/outcome/pay-failure.ts'
import { type PayOptions, pay } from '../../../src/buying/pay/pay.ts'
import { type Quote, type QuoteOptions, quote } from '../../../src/buying/quote/quote.ts'
import { type SellerHttp, sellerHttp } from '../../../src/buying/seller/seller-http.ts'
import { walletOf } from '../../../src/buying/sign/sign-payment.ts'
import { ledgerReader } from '../../../src/demo/observe/ledger-reader.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { type Stack, startStack } from '../../support/stack.ts'
import { type Account, accountWithUsdc, reach } from '../../support/stock/stock-client.ts'

const network = 'stellar:testnet'
/** A tenth of USDC. */
const maxAmount = 1_000_000n

export interface BuyerWorld extends AsyncDisposable {
  readonly stack: Stack
  readonly buyer: Account
  readonly seller: Account
  readonly http: SellerHttp
  /** Of the buyer, in base units of USDC. */
  balance(): Promise<bigint>
  ask(url: string, options?: Partial<QuoteOptions>): Promise<Quote>
  pay(quoted: Quote, options?: Partial<PayOptions>, max?: bigint): ReturnType<typeof pay>
  /** Asks and pays. @returns how it failed; throws when it did not */
  failure(url: string, options?: Partial<PayOptions>): Promise<PayFailure>
}

/** A facilitator over a real network, a buyer with 5 USDC, and a seller who can be paid. */
export async function buyerWorld(): Promise<BuyerWorld> {
  const stack = await startStack({ tls: true, upto: true, closeEveryMs: 'on-send' })
  reach(stack.localnet)
  const buyer = await accountWithUsdc(stack.localnet, 5n)
  const seller = await accountWithUsdc(stack.localnet)
  const http = sellerHttp()
  const ledger = ledgerReader(stack.localnet.httpUrl, stack.localnet.network.passphrase)
  const wallet = walletOf(buyer.secret, network, stack.localnet.rpcUrl)
  const ask: BuyerWorld['ask'] = (url, options) => quote(http, { url }, { network, ...options })
  const payQuote: BuyerWorld['pay'] = (quoted, options, max = maxAmount) =>
    pay(quoted, { maxAmount: max }, wallet, { http, clock: systemClock, ...options })
  return {
    stack,
    buyer,
    seller,
    http,
    balance: () => ledger.usdc(buyer.address),
    ask,
    pay: payQuote,
    failure: async (url, options) =>
      ask(url, { limits: options?.quoteLimits })
        .then((quoted) => payQuote(quoted, options))
        .then(
          () => {
            throw new Error('the call was paid')
          },
          (error: PayFailure) => error,
        ),
    async [Symbol.asyncDispose]() {
      await http[Symbol.asyncDispose]()
      await stack[Symbol.asyncDispose]()
    },
  }
}
