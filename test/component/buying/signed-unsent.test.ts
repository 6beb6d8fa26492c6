import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Budget } from '../../../src/buying/budget/budget.ts'
import { OpenPayments } from '../../../src/buying/budget/open-payments.ts'
import { payAndCall } from '../../../src/buying/mcp/payment/pay-and-call.ts'
import { readReference } from '../../../src/buying/outcome/payment-reference.ts'
import { pay } from '../../../src/buying/pay/pay.ts'
import { type Wallet, walletOf } from '../../../src/buying/sign/sign-payment.ts'
import { systemClock } from '../../../src/platform/core/time/clock.ts'
import { asksFor, offer, type PaidServer, paidServer } from '../commands/buying/paid-server.ts'
import { type BuyerWorld, buyerWorld } from './buyer-world.ts'

/* The stock client hands what it signed to the Stellar RPC before the seller gets it: what fails in between leaves the outcome open. */

const network = 'stellar:testnet'
const folder = mkdtempSync(join(tmpdir(), 'svc-unsent-'))
let world: BuyerWorld
let server: PaidServer
beforeAll(async () => {
  world = await buyerWorld()
  const answer = asksFor(offer(world.seller.address))
  server = await paidServer(answer, answer)
})
afterAll(async () => {
  await server?.[Symbol.asyncDispose]()
  await world?.[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

/** @param then runs when the signature is made; what it returns takes its place */
function walletThat(then: (signature: string) => string): Wallet {
  const { signer, rpcUrl } = walletOf(world.buyer.secret, network, world.stack.localnet.rpcUrl)
  return {
    signer: {
      ...signer,
      signAuthEntry: async (...asked) => {
        const made = await signer.signAuthEntry(...asked)
        return { ...made, signedAuthEntry: then(made.signedAuthEntry) }
      },
    },
    rpcUrl,
  }
}

/** Wallets whose payment ends after it was signed. */
const ends = [
  { when: 'was cancelled', of: (ending: AbortController) => () => cancelled(ending) },
  { when: 'could not be put together', of: () => () => Buffer.alloc(64).toString('base64') },
]
function cancelled(ending: AbortController): string {
  ending.abort(new Error('no longer wanted'))
  return ''
}

describe.each(ends)('a payment that $when after it was signed', ({ of }) => {
  test('has an unknown outcome, and a receipt with which the ledger can be asked', async () => {
    const ending = new AbortController()
    const { http } = world
    const options = { http, clock: systemClock, signal: ending.signal }
    const quoted = await world.ask(server.url)
    const paying = pay(quoted, { maxAmount: 100_000n }, walletThat(of(ending)), options)
    const failure = await paying.catch((error: unknown) => error)
    expect(failure).toMatchObject({ code: 'outcome_unknown', receipt: { outcome: 'unknown' } })
    const { reference, lastLedger } = Object(failure).receipt
    expect(readReference(reference)?.authorization).toMatchObject({
      payer: world.buyer.address,
      lastLedger,
    })
    expect(server.paid).toEqual([])
  })

  test('counts in the budget', async () => {
    const ending = new AbortController()
    const file = join(folder, `${crypto.randomUUID()}.sqlite`)
    using budget = new Budget({ file, limit: 100_000n, clock: systemClock })
    const wallet = walletThat(of(ending))
    await using open = new OpenPayments({ budget, rpcUrl: wallet.rpcUrl })
    const { http } = world
    const tool = payAndCall({ http, wallet, network, budget, open, clock: systemClock })
    const use = { signal: ending.signal, fenceId: 'f', report: () => {} }
    const called = tool.call({ url: server.url, max: '0.01', method: 'GET' }, use)
    await expect(called).rejects.toMatchObject({ code: 'outcome_unknown', facts: { paid: null } })
    expect(budget.state()).toMatchObject({ spent: 100_000n, left: 0n })
    expect(budget.unresolved()).toMatchObject([{ state: 'signed', outcome: 'unknown' }])
  })
})
