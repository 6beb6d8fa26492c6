import { createHash } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { ApiKeys } from '../../../../src/http/api-keys.ts'
import { freePort } from '../../../support/free-port.ts'
import { lines, notInstalled } from '../../../support/stock/sellers-folder.ts'
import { change, file } from '../../../support/stock/sellers-page.ts'
import { type SellersStack, startSellersStack } from '../../../support/stock/sellers-stack.ts'

const KEY = 'svc_test-key'
const digest = createHash('sha256').update(KEY).digest('hex')
const servers = ['express.mjs', 'hono.mjs', 'fastify.mjs']

describe.each(lines)('with the packages of the $line line', (line) => {
  const missing = notInstalled(line)
  let market: SellersStack

  beforeAll(async () => {
    if (missing !== undefined) return
    market = await startSellersStack(line, {
      network: { requireApiKey: true },
      keys: new ApiKeys([digest]),
    })
    for (const name of servers) {
      await market.folder.save(`key-${name}`, file(name, change('createAuthHeaders')))
    }
  })
  afterAll(() => market?.[Symbol.asyncDispose]())
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing)
  })

  it.each(servers)('%s passes an API key as the page says', async (name) => {
    const { folder, seller, balanceOf } = market
    const before = await balanceOf(seller.address)
    const key = { FACILITATOR_API_KEY: KEY }
    await using server = await folder.serve(`key-${name}`, await freePort(), key)

    const { output } = await folder.run('client.mjs', [server.url])

    expect(output).toContain('200 {"joke":')
    expect(await balanceOf(seller.address)).toBe(before + 100_000n)
  })

  it.each([
    { what: 'without a key', name: 'express.mjs', key: '' },
    { what: 'with a wrong key', name: 'key-express.mjs', key: 'svc_wrong' },
  ])('tells the buyer of a server $what the reason', async ({ name, key }) => {
    const { folder } = market
    await using server = await folder.serve(name, await freePort(), { FACILITATOR_API_KEY: key })

    const { output } = await folder.run('client.mjs', [server.url])

    expect(output).toMatch(/^402 /)
    expect(output).toMatch(/error: '.*unauthorized/)
  })
})
