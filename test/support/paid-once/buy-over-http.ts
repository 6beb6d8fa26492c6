import type { PaymentPayload } from '@x402/core/types'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import { PaymentStillOpen, payOnceFetch } from '../../../src/buying/client/pay-once-fetch.ts'
import {
  authorizationOutcome,
  signedAuthorization,
} from '../../../src/buying/sign/signed-authorization.ts'
import { signerFromSecret } from '../../../src/stellar/accounts/signer.ts'
import type { Journal } from './journal.ts'
import { type BuyerSettings, network, urlOf } from './settings.ts'

/** No answer takes longer; a connection that stands still is given up. */
const PATIENCE_MS = 40_000
/** Of a note, characters. */
const LONG = 400
/** More than the ledgers of a payment's time. */
const LEDGERS = 1_000

/** Tries one purchase with the stock client over `payOnceFetch`. @returns whether it is over */
export function buyOverHttp(
  { secrets, sellerUrl, rpcUrl }: BuyerSettings,
  journal: Journal,
): (n: number) => Promise<boolean> {
  const clients = secrets.map((secret) => {
    const scheme = new ExactStellarScheme(createEd25519Signer(secret, network), { url: rpcUrl })
    return new x402Client().register(network, scheme)
  })
  return async (n) => {
    const at = n % secrets.length
    const open = journal.openPayment(n)
    const pay = wrapFetchWithPayment(payOnceFetch(open.store), clients[at]!)
    try {
      const response = await pay(urlOf('http', sellerUrl, n), {
        signal: AbortSignal.timeout(PATIENCE_MS),
      })
      const receipt = response.headers.get('payment-response')
      if (!response.ok || receipt === null) {
        journal.note(n, await saidBy(response))
        return false
      }
      journal.write({ n, payment: open.read() ?? '', receipt, goods: await response.text() })
      open.forget()
      return true
    } catch (error) {
      const refusal = error instanceof PaymentStillOpen ? error.response : undefined
      journal.note(n, refusal ? await saidBy(refusal) : String(error))
      const isRefused = error instanceof PaymentStillOpen && error.response?.status === 402
      if (isRefused && (await isUnused(rpcUrl, secrets[at]!, error.payment))) open.forget()
      return false
    }
  }
}

/** The status, and what the seller says in place of goods. */
async function saidBy(response: Response): Promise<string> {
  const says = ['payment-required', 'payment-response']
    .map((name) => response.headers.get(name))
    .flatMap((header) => (header === null ? [] : Buffer.from(header, 'base64').toString()))
  const body = await response.text().catch(String)
  return [response.status, ...says, body].join(' ').slice(0, LONG)
}

/** Whether the payment has expired, and the ledger shows that it was not made: then another may be. */
async function isUnused(rpcUrl: string, secret: string, header: string): Promise<boolean> {
  const payment: PaymentPayload = JSON.parse(Buffer.from(header, 'base64').toString())
  const { asset } = payment.accepted
  const payer = signerFromSecret(secret).address
  const signed = signedAuthorization(payment, { asset }, { payer, afterLedger: 0 })
  const afterLedger = Math.max(1, signed.lastLedger - LEDGERS)
  const outcome = await authorizationOutcome(rpcUrl, { ...signed, afterLedger }).catch(
    () => undefined,
  )
  return outcome?.state === 'unused'
}
