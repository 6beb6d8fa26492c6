import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { describe, expect, test, vi } from 'vitest'
import { generations, textOf } from '../../../support/mcp-clients.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { changed, type PaymentRequired, type PayWorld, quote, served } from './pay-world.ts'

/* A call that its caller cancels, a host that goes away, and a program that is killed: before and after a payment was sent. */

const WAIT_MS = 150_000

/** A seller who takes what it is given and waits for the test. */
async function waitingSeller(
  world: PayWorld,
  waitsAt: 'the second question' | 'the payment',
  members: object = {},
) {
  let answer: (settlement: object) => void = () => {}
  const seller = await world.seller((request, response, required: PaymentRequired) => {
    const paid = request.headers['payment-signature'] !== undefined
    if (paid) {
      answer = (settlement) => served(response, settlement)
    } else if (waitsAt === 'the payment' || seller.requests === 1) {
      quote(response, changed(required, members))
    }
  })
  return { seller, answer: (settlement: object) => answer(settlement) }
}

export function callsThatNobodyWaitsFor(world: () => PayWorld): void {
  const paidUrl = () => world().demo.state.paidUrl

  describe.each(generations)('a call that %s cancels', (generation) => {
    test('before it signed costs nothing, and ends the connection to the seller', async () => {
      const { seller } = await waitingSeller(world(), 'the second question')
      await using client = await world().agent('0.05', { generation })
      const ending = new AbortController()
      const asked = { url: seller.url, max: '0.01' }
      const call = client.call('pay_and_call', asked, { signal: ending.signal })
      const cancelled = expect(call).rejects.toThrow()
      await vi.waitFor(() => expect(seller.requests).toBe(2), WAIT_MS)
      const during = await client.call('list_payments', {})
      expect(during.structuredContent.budget).toMatchObject({ spent: '0.01' })
      ending.abort(new Error('no longer wanted'))
      await cancelled
      await vi.waitFor(() => expect(seller.connections).toBe(0), WAIT_MS)
      await vi.waitFor(async () => {
        const after = await client.call('list_payments', {})
        expect(after.structuredContent).toMatchObject({ budget: { spent: '0' }, payments: [] })
      }, WAIT_MS)
      expect(seller.payments).toEqual([])
    })

    test('after it sent the payment is followed to its end, and can be found', async () => {
      const { seller, answer } = await waitingSeller(world(), 'the payment')
      await using client = await world().agent('0.015', { generation })
      const ending = new AbortController()
      const asked = { url: seller.url, max: '0.01' }
      const call = client.call('pay_and_call', asked, { signal: ending.signal })
      const cancelled = expect(call).rejects.toThrow()
      await vi.waitFor(() => expect(seller.payments).toHaveLength(1), WAIT_MS)
      ending.abort(new Error('no longer wanted'))
      await cancelled
      const next = await client.call('pay_and_call', { url: paidUrl(), max: '0.01' })
      expect(textOf(next)).toMatch(/^budget_exceeded: only 0\.005 USDC/)
      const transaction = await world().settle(seller.payments[0] ?? '')
      answer({ success: true, transaction, network: 'stellar:testnet' })
      await vi.waitFor(async () => {
        const listed = await client.call('list_payments', {})
        expect(listed.structuredContent).toMatchObject({
          budget: { spent: '0.01' },
          payments: [{ state: 'paid', outcome: 'settled', transaction, counted: '0.01' }],
        })
      }, WAIT_MS)
    })
  })

  describe('a host that goes away', () => {
    test.each([
      ['before the payment was signed', 'the second question', 0n],
      ['after the payment was sent', 'the payment', 100_000n],
    ] as const)('%s ends the program', async (_, waitsAt, spent) => {
      const { seller } = await waitingSeller(world(), waitsAt)
      const file = world().budgetFile()
      const host = await hostOf(world().program('0.05', file))
      host.call('pay_and_call', { url: seller.url, max: '0.01' })
      const requests = waitsAt === 'the payment' ? 3 : 2
      await vi.waitFor(() => expect(seller.requests).toBe(requests), WAIT_MS)
      expect(await host.vanish()).toBe(0)
      expect(world().readBudget(file).state().spent).toBe(spent)
      await vi.waitFor(() => expect(seller.connections).toBe(0), WAIT_MS)
    })
  })

  describe('a payment whose program was killed before its outcome', () => {
    test.each([
      ['comes back to the budget when it expired unused', 'unpaid', '0', 1],
      ['is found on the ledger when its seller took it', 'paid', '0.01', 60],
    ] as const)('counts, and %s', async (_, state, spent, maxTimeoutSeconds) => {
      const { seller } = await waitingSeller(world(), 'the payment', { maxTimeoutSeconds })
      const file = world().budgetFile()
      await using client = await world().agentProcess('0.015', { file })
      const call = client.call('pay_and_call', { url: seller.url, max: '0.01' })
      const lost = call.then(
        () => 'answered',
        () => 'lost',
      )
      await vi.waitFor(() => expect(seller.payments).toHaveLength(1), WAIT_MS)
      client.kill()
      expect(await lost).toBe('lost')
      expect(world().readBudget(file).state().spent).toBe(100_000n)
      const transaction =
        state === 'paid' ? { transaction: await world().settle(seller.payments[0] ?? '') } : {}
      await using next = await world().agent('0.015', { file })
      await vi.waitFor(async () => {
        const listed = await next.call('list_payments', {})
        expect(listed.structuredContent).toMatchObject({
          budget: { spent },
          payments: [{ state, counted: spent, ...transaction }],
        })
      }, WAIT_MS)
      const again = await next.call('pay_and_call', { url: paidUrl(), max: '0.01' })
      if (state === 'paid') expect(textOf(again)).toMatch(/^budget_exceeded: only 0\.005 USDC/)
      else expect(again.structuredContent).toMatchObject({ budget: { spent: '0.01' } })
    })
  })

  describe('a metered price', () => {
    test.each([
      ['counts what was used', '50000', '50000', '0.005'],
      [
        'counts what the ledger shows, when its seller names less than it took',
        '200000',
        '1',
        '0.02',
      ],
    ])('%s', async (_, taken, named, spent) => {
      const seller = await world().seller(async (request, response, required) => {
        const payment = request.headers['payment-signature']
        if (typeof payment !== 'string') return quote(response, required)
        const transaction = await world().settle(payment, taken)
        served(response, { success: true, transaction, network: 'stellar:testnet', amount: named })
      }, 'meteredUrl')
      await using client = await world().agent('2')
      const paid = await client.call('pay_and_call', { url: seller.url, max: '1' })
      expect(paid.isError, textOf(paid)).toBeFalsy()
      const { receipt, budget } = paid.structuredContent
      expect(receipt).toMatchObject({ scheme: 'upto', amount: named })
      expect(budget).toMatchObject({ spent })
    })
  })
}

/** A host without a library, which can end as a killed one does. */
async function hostOf({ args, env }: ReturnType<PayWorld['program']>) {
  const child = spawn(process.execPath, [svcProgram(), 'mcp', ...args], {
    env: { PATH: process.env['PATH'], HOME: process.env['HOME'], ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  const send = (message: object) =>
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'test', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  send({ id: 1, method: 'initialize', params })
  await once(child.stdout, 'data')
  send({ method: 'notifications/initialized' })
  return {
    call: (name: string, given: object) => {
      const params = { name, arguments: given, _meta: { progressToken: 'a' } }
      send({ id: 2, method: 'tools/call', params })
    },
    /** Closes every pipe at once. @returns the exit code of the program */
    vanish: async () => {
      child.stdin.destroy()
      child.stdout.destroy()
      return (await exited)[0]
    },
  }
}
