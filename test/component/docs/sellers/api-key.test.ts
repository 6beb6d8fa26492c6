import { expect, it } from 'vitest'
import { acceptedKeys } from '../../../support/api-keys.ts'
import { freePort } from '../../../support/free-port.ts'
import { sampledLines } from '../../../support/stock/sellers-folder.ts'
import { change, file } from '../../../support/stock/sellers-page.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'

const KEY = 'svc_test-key'
const withKey = (name: string) => file(name, change('createAuthHeaders'))
const servers = ['express.mjs', 'hono.mjs', 'fastify.mjs']

forEachLine(
  {
    lines: sampledLines(),
    network: { requireApiKey: true },
    keys: acceptedKeys(KEY),
  },
  (market) => {
    it.each(servers)('%s passes an API key as the page says', async (name) => {
      const { folder, seller, balanceOf } = market()
      const before = await balanceOf(seller.address)
      const key = { FACILITATOR_API_KEY: KEY }
      await folder.save(name, withKey(name))
      await using server = await folder.serve(name, await freePort(), key)

      const { output } = await folder.run('client.mjs', [server.url])

      expect(output).toContain('200 {"joke":')
      expect(await balanceOf(seller.address)).toBe(before + 100_000n)
    })

    it.each([
      { what: 'without a key', text: file('express.mjs'), key: '' },
      { what: 'with a wrong key', text: withKey('express.mjs'), key: 'svc_wrong' },
    ])('tells the buyer of a server $what the reason', async ({ text, key }) => {
      const { folder } = market()
      await folder.save('express.mjs', text)
      const known = { FACILITATOR_API_KEY: key }
      await using server = await folder.serve('express.mjs', await freePort(), known)

      const { output } = await folder.run('client.mjs', [server.url])

      expect(output).toMatch(/^402 /)
      expect(output).toMatch(/error: '.*unauthorized/)
    })
  },
)
