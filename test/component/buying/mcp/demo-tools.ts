import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  connect,
  generations,
  type McpClient,
  type Place,
  textOf,
} from '../../../support/mcp-clients.ts'
import { conformance } from '../../../support/mcp-conformance.ts'
import type { DemoWorld } from './demo-world.ts'

/** The official clients over each transport, with a demo that made its two payments and no other. */
export function toolsOfDemo(world: () => DemoWorld): void {
  const places: readonly (readonly [string, () => Place])[] = [
    ['stdio', () => ({ args: ['--dir', world().folder] })],
    ['HTTP', () => ({ url: `${world().state.facilitatorUrl}/mcp` })],
  ]

  test('/mcp passes the conformance scenarios of what it offers', async () => {
    const run = await conformance(`${world().state.facilitatorUrl}/mcp`, 'endpoint')
    expect(run.code, run.said).toBe(0)
    expect(run.passed).toEqual([
      ...['dns-rebinding-protection', 'ping', 'server-initialize', 'tools-list'],
    ])
  })

  const rows = places.flatMap(([transport, place]) =>
    generations.map((generation) => [transport, generation, place] as const),
  )

  describe.each(rows)('over %s with %s', (_transport, generation, place) => {
    let client: McpClient
    beforeAll(async () => {
      client = await connect(generation, place())
    })
    afterAll(() => client[Symbol.asyncDispose]())

    test('lists the tools, each with the schema of its result', async () => {
      const tools = await client.tools()
      expect(tools.map(({ name }) => name)).toEqual([
        'search_resources',
        'inspect_resource',
        'validate_resource',
        'payment_status',
        'seller_activity',
      ])
      for (const { outputSchema } of tools) expect(outputSchema).toMatchObject({ type: 'object' })
    })

    test('finds what the demo sells, and shows how it is called', async () => {
      const found = await client.call('search_resources', { query: 'weather forecast', limit: 3 })
      const [first] = found.structuredContent.resources
      expect(first).toMatchObject({
        type: 'http',
        prices: [{ assetCode: 'USDC', network: 'stellar:testnet' }],
      })
      expect(first.sellerText).not.toContain('textWasCut')
      const shown = await client.call('inspect_resource', { id: first.id })
      expect(shown.structuredContent).toMatchObject({ id: first.id, state: 'published' })
      expect(textOf(shown)).toContain(`"url":"${new URL(world().state.paidUrl).origin}/`)
    })

    test.each([
      { network: 'eip155:8453' },
      { scheme: 'batch-settlement' },
      { payTo: '0x0000000000000000000000000000000000000001' },
    ])('finds nothing for %o, which nothing here can have', async (filter) => {
      const found = await client.call('search_resources', { query: 'weather', ...filter })
      expect(found.structuredContent).toMatchObject({ resources: [], cursor: null })
    })

    test('checks a resource, and reports progress meanwhile', async () => {
      const asked = { url: world().state.paidUrl }
      const before = client.progress.length
      const answer = await client.call('validate_resource', asked, { asksForProgress: true })
      expect(answer.structuredContent).toMatchObject({ outcome: 'listable' })
      expect(client.progress.slice(before)).toEqual(['asking the resource for its 402 response'])

      const refused = await client.call('validate_resource', {
        url: `${world().state.facilitatorUrl}/health`,
      })
      expect(refused.structuredContent.outcome).toBe('refused')
      expect(refused.structuredContent.checks.at(-1)).toMatchObject({
        name: 'payment_required',
        code: 'origin_not_payment_required',
      })
    })

    test('says that a payment settled, and what its seller earned', async () => {
      const [transaction] = world().transactions
      const status = await client.call('payment_status', { transaction })
      expect(status.structuredContent).toMatchObject({
        state: 'settled',
        payment: { transaction, scheme: 'exact', amountDecimal: '0.01', confidence: 'svc' },
      })
      const { seller } = status.structuredContent.payment
      const activity = await client.call('seller_activity', { payTo: seller })
      expect(activity.structuredContent).toMatchObject({
        payTo: seller,
        payments: 2,
        uniqueBuyers: 1,
      })
      expect(activity.structuredContent.newest).toHaveLength(2)

      const other = await client.call('payment_status', { transaction: '0'.repeat(64) })
      expect(other.structuredContent).toEqual({ state: 'not_observed' })
      expect(textOf(other)).toContain('Do not pay again')
    })

    test('says what to do after a mistake', async () => {
      const id = '00000000-0000-4000-8000-000000000000'
      const unknown = await client.call('inspect_resource', { id })
      expect(unknown.isError).toBe(true)
      expect(textOf(unknown)).toMatch(
        /^not_found: .+ Use an id that search_resources returned\.(\n|$)/,
      )
      expect(unknown._meta['svc/error']).toMatchObject({ code: 'not_found', retryable: false })

      const malformed = await client.call('search_resources', { query: '' })
      expect(malformed.isError).toBe(true)
    })
  })
}
