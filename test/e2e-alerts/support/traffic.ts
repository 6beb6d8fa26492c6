import { httpBazaar } from '../../support/catalog/declarations.ts'
import { bodyOf, draftPayment, openWallet, payment, type Wallet } from '../../support/payments.ts'
import type { AlertWorld } from './alert-world.ts'

export interface Traffic extends AsyncDisposable {
  /** Answers of `/settle` so far, by HTTP status; 0 for no answer. */
  readonly statuses: ReadonlyMap<number, number>
  /** Sends so many payments at once; resolves when all are answered. */
  burst(count: number): Promise<void>
  /** A payment for a resource that its seller declares to the catalog. */
  declare(): Promise<void>
  /** Starts or ends the steady payments. */
  pause(isPaused: boolean): void
}

const EVERY_MS = 500

/** Payers that settle a small payment twice a second, whatever the service answers. */
export async function openTraffic({ localnet, facilitator }: AlertWorld): Promise<Traffic> {
  const payer = await openWallet(localnet, 10_000_000_000n)
  const { address: payTo } = await openWallet(localnet)
  const statuses = new Map<number, number>()
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(facilitator.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }).catch(() => undefined)
    await answer?.text()
    return answer?.status ?? 0
  }
  const settle = async (body: unknown) => {
    const status = await post('/settle', body)
    statuses.set(status, (statuses.get(status) ?? 0) + 1)
  }
  const pay = async () => {
    const body = await payment(localnet, { payer, payTo, amount: 1n })
    await post('/verify', body)
    await settle(body)
  }
  let isPaused = false
  const timer = setInterval(() => {
    if (!isPaused) void pay().catch(() => undefined)
  }, EVERY_MS)
  return {
    statuses,
    burst: async (count) => {
      await Promise.all(Array.from({ length: count }, pay))
    },
    declare: async () => settle(await declared(localnet, payer, payTo)),
    pause: (paused) => {
      isPaused = paused
    },
    [Symbol.asyncDispose]: async () => clearInterval(timer),
  }
}

async function declared(localnet: AlertWorld['localnet'], payer: Wallet, payTo: string) {
  const draft = await draftPayment(localnet, { payer, payTo, amount: 1n })
  const body = bodyOf(draft)
  Object.assign(body.paymentPayload, {
    resource: { url: 'https://api.example.com/weather?city=Lima', description: 'Weather' },
    extensions: { bazaar: httpBazaar() },
  })
  return body
}
