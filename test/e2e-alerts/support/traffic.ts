import { expect, vi } from 'vitest'
import { explorerPaths } from '../../../src/platform/core/http-paths.ts'
import { httpBazaar } from '../../support/catalog/declarations.ts'
import { callOperation, Submitter } from '../../support/explorer/submitter.ts'
import {
  bodyOf,
  callOf,
  draftPayment,
  openWallet,
  payment,
  type Wallet,
} from '../../support/payments.ts'
import type { AlertWorld } from './alert-world.ts'

export interface Traffic extends AsyncDisposable {
  /** Sends so many payments at once; resolves when all are answered. */
  burst(count: number): Promise<void>
  /** Settles a payment for a resource that its seller declares to the catalog. */
  declare(): Promise<void>
  /** Starts no more of the steady payments; resolves when those under way are answered. */
  stop(): Promise<void>
  /** After `stop`. */
  resume(): void
}

const EVERY_MS = 500
const patience = { timeout: 30_000, interval: 1_000 }

/** Buyers that settle a small payment, search the catalog and read the explorer twice a second, whatever is answered. */
export async function openTraffic(world: AlertWorld): Promise<Traffic> {
  const { localnet, facilitator, catalog, explorer } = world
  const payer = await openWallet(localnet, 10_000_000_000n)
  const { address: payTo } = await openWallet(localnet)
  await transferDirectly(localnet, payer, payTo)
  const post = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(facilitator.url + path, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    }).catch(() => undefined)
    const text = await answer?.text().catch(() => undefined)
    return text ?? ''
  }
  const settle = async (body: unknown) => (await post('/settle', body)).includes('"success":true')
  const pay = async () => {
    const body = await payment(localnet, { payer, payTo, amount: 1n })
    await post('/verify', body)
    await settle(body)
  }
  let isStopped = false
  const underWay = new Set<Promise<unknown>>()
  const payBeside = () => {
    const paid = pay()
      .catch(() => undefined)
      .finally(() => underWay.delete(paid))
    underWay.add(paid)
  }
  const read = async (url: string) => (await fetch(url)).text()
  const timer = setInterval(() => {
    if (!isStopped) payBeside()
    void read(`${catalog.url}/discovery/search?query=weather`).catch(() => undefined)
    void read(explorer.url + explorerPaths.feed).catch(() => undefined)
  }, EVERY_MS)
  return {
    burst: async (count) => {
      await Promise.all(Array.from({ length: count }, pay))
    },
    declare: () =>
      vi.waitFor(async () => {
        expect(await settle(await declared(localnet, payer, payTo)), 'is settled').toBe(true)
      }, patience),
    stop: async () => {
      isStopped = true
      await Promise.all(underWay)
    },
    resume: () => {
      isStopped = false
    },
    [Symbol.asyncDispose]: async () => clearInterval(timer),
  }
}

/** A transfer that its sender submits is no payment; the explorer counts what it passes over. */
async function transferDirectly(localnet: AlertWorld['localnet'], payer: Wallet, payTo: string) {
  const call = callOf({ payer, payTo, amount: 1n })
  await new Submitter(localnet).submit({ from: payer.key, operations: [callOperation(call)] })
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
