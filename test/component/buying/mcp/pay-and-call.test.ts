import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect, generations, textOf } from '../../../support/mcp-clients.ts'
import { allGone } from '../../demo/demo-process.ts'
import { cheatingSellers, ORDER, unfenced } from './cheating-sellers.ts'
import { toolsOfDemo } from './demo-tools.ts'
import { openPayWorld, type PayWorld, quote } from './pay-world.ts'
import { callsThatNobodyWaitsFor } from './unwatched-calls.ts'

/* One demo for all: first its tools that cost nothing. Then real payments: the official clients, `svc mcp` with a wallet, and its paid API; then sellers who cheat. */

let world: PayWorld
beforeAll(async () => {
  world = await openPayWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

const paidUrl = () => world.demo.state.paidUrl

toolsOfDemo(() => world.demo)

describe.concurrent.each(generations)('pay_and_call by %s', (generation) => {
  test('pays, returns the answer in a fence and a receipt that can be looked up', async () => {
    await using client = await world.agentProcess('0.05', { generation })
    const tools = (await client.tools()).map(({ name }) => name)
    expect(tools.slice(-3)).toEqual(['pay_and_call', 'call_paid_tool', 'list_payments'])
    const asked = { url: paidUrl(), max: '0.01' }
    const paid = await client.call('pay_and_call', asked, { asksForProgress: true })
    expect(paid.isError, textOf(paid)).toBeFalsy()
    const { receipt, budget, sellerText, status } = paid.structuredContent
    expect(status).toBe(200)
    expect(budget).toEqual({ limit: '0.05', spent: '0.01', left: '0.04' })
    expect(receipt).toMatchObject({ outcome: 'settled', amountDecimal: '0.01', scheme: 'exact' })
    expect(sellerText).toMatch(/^<untrusted-seller-text id="[0-9a-f]{32}">\n/)
    expect(client.progress).toContain('paid')
    const { transaction } = receipt
    const listed = await client.call('list_payments', {})
    expect(listed.structuredContent).toMatchObject({
      budget,
      ledgerRead: true,
      payments: [{ state: 'paid', counted: '0.01', outcome: 'settled', transaction }],
    })
    await vi.waitFor(
      async () => {
        const found = await client.call('payment_status', { transaction })
        expect(found.structuredContent).toMatchObject({ state: 'settled' })
      },
      { timeout: 120_000 },
    )
  })

  test('refuses what costs more than the call or the budget may', async () => {
    await using client = await world.agent('0.005', { generation })
    const dear = await client.call('pay_and_call', { url: paidUrl(), max: '0.0099999' })
    expect(textOf(dear)).toMatch(/^too_expensive: it costs more than max; nothing was paid/)
    const over = await client.call('pay_and_call', { url: paidUrl(), max: '1' })
    expect(textOf(over)).toMatch(/^budget_exceeded: only 0\.005 USDC/)
    expect(over._meta['svc/error']).toMatchObject({ paid: false, left: '0.005' })
    for (const max of [undefined, '-1', '0.00000001', 'all']) {
      const refused = await client.call('pay_and_call', { url: paidUrl(), max })
      expect(refused.isError).toBe(true)
    }
  })
})

test('svc mcp pays a tool of a program that --servers names', async () => {
  const { facilitatorUrl, parties } = world.demo.state
  const file = world.budgetFile()
  const program = fileURLToPath(new URL('../../selling/mcp/stdio-program.ts', import.meta.url))
  const shop = {
    ...{ command: process.execPath, args: [program, 'sdk 2'] },
    env: { FACILITATOR_URL: facilitatorUrl, PAY_TO: parties.seller },
  }
  await writeFile(`${file}.servers`, JSON.stringify({ mcpServers: { shop } }))
  const { args, env } = world.program('0.05', file)
  const place = { args: [...args, '--servers', `${file}.servers`], env }
  await using client = await connect('sdk 2', place)
  const asked = { url: 'mcp+stdio://shop#forecast', max: '0.01', arguments: { city: 'Oslo' } }
  const paid = await client.call('call_paid_tool', asked)
  expect(paid.isError, textOf(paid)).toBeFalsy()
  expect(paid.structuredContent).toMatchObject({
    receipt: { outcome: 'settled', amountDecimal: '0.01', payTo: parties.seller },
    budget: { spent: '0.01' },
  })
  expect(paid.structuredContent.sellerText).toContain('degrees')
})

test('a budget holds with 50 calls at once by two processes', async () => {
  const file = world.budgetFile()
  await using one = await world.agentProcess('0.05', { file })
  await using other = await world.agent('0.05', { file })
  const calls = Array.from({ length: 50 }, (_, n) =>
    (n % 2 === 0 ? one : other).call('pay_and_call', { url: paidUrl(), max: '0.01' }),
  )
  const answers = await Promise.all(calls)
  const texts = answers.map(textOf)
  const paid = answers.filter((each) => !each.isError)
  expect(paid, texts.join('\n')).toHaveLength(5)
  const refused = texts.filter((each) => each.startsWith('budget_exceeded'))
  expect(refused, texts.join('\n')).toHaveLength(45)
  const transactions = paid.map((each) => each.structuredContent.receipt.transaction)
  expect(new Set(transactions).size).toBe(5)
})

describe('a seller who cheats', () => {
  test('gets nothing', async () => {
    await using client = await world.agent('0.06')
    const payHonestly = () => client.call('pay_and_call', { url: paidUrl(), max: '0.01' })
    // Once the explorer shows this payment, it has read all earlier ones.
    const { transaction: first } = (await payHonestly()).structuredContent.receipt
    const before = await vi.waitFor(
      async () => {
        const payments = await world.paymentsOfBuyer()
        expect(payments[0]).toBe(first)
        return payments
      },
      { timeout: 120_000 },
    )
    const attempts = cheatingSellers(world.demo.state).map(async ({ how, code, behave }) => {
      let n = 0
      const seller = await world.seller((request, response, required) =>
        behave(request, response, required, ++n),
      )
      const answer = await client.call('pay_and_call', { url: seller.url, max: '0.05' })
      const text = textOf(answer)
      expect(text, how).toMatch(code)
      expect(answer._meta['svc/error'], how).toMatchObject({ paid: false })
      expect(unfenced(text), how).not.toContain(ORDER)
      expect(seller.payments, how).toEqual([])
    })
    await Promise.all(attempts)
    const honest = await payHonestly()
    expect(honest.structuredContent.budget).toMatchObject({ spent: '0.02', left: '0.04' })
    const { transaction } = honest.structuredContent.receipt
    await vi.waitFor(
      async () => {
        expect(await world.paymentsOfBuyer()).toEqual([transaction, ...before])
      },
      { timeout: 120_000 },
    )
  })

  test('with a 402 again and again is not paid twice, and what it holds counts until it expires', async () => {
    const seller = await world.seller((_, response, required) => quote(response, required))
    await using client = await world.agent('0.015')
    const answer = await client.call('pay_and_call', { url: seller.url, max: '0.01' })
    expect(textOf(answer)).toMatch(/^(refused|outcome_unknown):/)
    expect(answer._meta['svc/error']).toMatchObject({ paid: null })
    expect(seller.payments).toHaveLength(1)
    const next = await client.call('pay_and_call', { url: paidUrl(), max: '0.01' })
    expect(textOf(next)).toMatch(/^budget_exceeded/)
  })
})

callsThatNobodyWaitsFor(() => world)

describe('the demo', () => {
  test('ends with 0 at Ctrl-C, and nothing of it is left', async () => {
    const { program, state } = world.demo
    const processes = await program.descendants()
    expect(processes.length).toBeGreaterThan(2)
    program.signal('SIGINT')
    const { code, output } = await program.ended
    expect(code, output).toBe(0)
    await allGone(processes)
    for (const url of [state.paidUrl, state.facilitatorUrl, state.explorerUrl]) {
      await expect(fetch(url)).rejects.toThrow()
    }
  })
})
