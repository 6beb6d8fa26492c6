import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createMcpServer } from '../../../../src/buying/mcp/create-server.ts'
import type { Facts } from '../../../../src/buying/mcp/facts/facts.ts'
import { callPaidTool } from '../../../../src/buying/mcp/payment/call-paid-tool.ts'
import { listPayments } from '../../../../src/buying/mcp/payment/list-payments.ts'
import { payAndCall } from '../../../../src/buying/mcp/payment/pay-and-call.ts'

/* No argument of a tool is ignored: whoever misspells a filter would believe that it filtered. Nothing behind the tools is there. */

const nothing = () => Promise.reject(new Error('the tool was called'))
const facts: Facts = {
  search: nothing,
  listing: nothing,
  validate: nothing,
  payment: nothing,
  seller: nothing,
}
const wallet = {} as Parameters<typeof payAndCall>[0] & Parameters<typeof listPayments>[0]
const network = 'stellar:testnet'

const client = new Client({ name: 'test', version: '1' })
beforeAll(async () => {
  const paying = { ...wallet, network } as const
  const moreTools = [payAndCall(paying), callPaidTool(paying), listPayments(wallet)]
  const server = createMcpServer({ version: '1', facts, moreTools })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
})
afterAll(() => client.close())

/** A call that each tool would take, without the argument that is tried. */
const calls: Readonly<Record<string, readonly [args: object, wrong: string, meant: string]>> = {
  search_resources: [{ query: 'weather' }, 'max_price', 'maxPrice'],
  inspect_resource: [{ id: '00000000-0000-4000-8000-000000000000' }, 'ids', 'id'],
  validate_resource: [{ url: 'https://api.example' }, 'Method', 'method'],
  payment_status: [{ transaction: 'a'.repeat(64) }, 'transactions', 'transaction'],
  seller_activity: [{ payTo: `G${'A'.repeat(55)}` }, 'net_work', 'network'],
  pay_and_call: [{ url: 'https://api.example', max: '1' }, 'header', 'headers'],
  call_paid_tool: [{ url: 'mcp+https://api.example/mcp#x', max: '1' }, 'argument', 'arguments'],
  list_payments: [{}, 'limit', ''],
}

const refusal = async (name: string, args: object) => {
  const { isError, content } = await client.callTool({ name, arguments: { ...args } })
  expect(isError).toBe(true)
  return (content as { text: string }[]).map(({ text }) => text).join('\n')
}

test('the table has every tool, and each says in its schema that it takes no other argument', async () => {
  const { tools } = await client.listTools()
  expect(tools.map(({ name }) => name)).toEqual(Object.keys(calls))
  for (const { name, inputSchema } of tools) {
    expect(inputSchema, name).toMatchObject({ additionalProperties: false })
  }
})

describe.each(Object.entries(calls))('%s', (name, [args, wrong, meant]) => {
  test('refuses an argument that it does not have, and names the one that was meant', async () => {
    const text = await refusal(name, { ...args, [wrong]: '1' })
    const expected = meant === '' ? 'it takes none' : `Did you mean ${meant}?`
    expect(text).toContain(`the argument "${wrong}" is not supported`)
    expect(text).toContain(expected)
  })

  test('names its arguments when none is near, and repeats no control characters', async () => {
    const text = await refusal(name, { ...args, ['\u001b[2Jzzz'.padEnd(90, 'z')]: 1 })
    expect(text).toMatch(/the argument " \[2Jz{35,40}" is not supported: it takes /)
  })
})
