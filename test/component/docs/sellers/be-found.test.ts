import { afterAll, describe, expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { freshDatabase } from '../../../support/postgres.ts'
import { startPromptLocalnet } from '../../../support/prompt-localnet.ts'
import { notInstalled, SellersFolder, sampledLines } from '../../../support/stock/sellers-folder.ts'
import { change, commandsUnder, file } from '../../../support/stock/sellers-page.ts'
import { accountWithUsdc } from '../../../support/stock/stock-client.ts'
import { newSponsor, SvcProcess, XLM } from '../../commands/admin-world.ts'

/** Network and facilitator as make run starts them: the catalog may ask servers on this machine. */
async function openWorld() {
  await using opened = new AsyncDisposableStack()
  const localnet = opened.use(await startPromptLocalnet({ tls: true }))
  const database = opened.use(await freshDatabase())
  const sponsor = newSponsor()
  await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 100n * XLM })
  const env = {
    PATH: process.env['PATH'],
    DATABASE_URL: database.url,
    HOST: '127.0.0.1',
    PORT: '0',
    ADMIN_PORT: '0',
    EXPLORER_ENABLED: 'false',
    CHANNEL_COUNT: '2',
    TESTNET_RPC_URL: localnet.httpUrl,
    TESTNET_SPONSOR_SECRET: sponsor.secret,
    DISCOVERY_ALLOW_LOOPBACK: 'true',
  }
  const service = new SvcProcess(env, 'serve')
  opened.defer(async () => {
    await service.end('SIGTERM')
  })
  const [, facilitatorUrl = ''] = await service.printed(/"url":"([^"]+)".*Service is listening/)
  const [seller, buyer] = await Promise.all([accountWithUsdc(localnet), accountWithUsdc(localnet)])
  const resources = opened.move()
  return {
    localnet,
    facilitatorUrl,
    seller,
    buyer,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

const declaring = file(
  'express.mjs',
  change("from '@x402/extensions/bazaar'"),
  change('registerExtension'),
  change('extensions: declareDiscoveryExtension'),
)

const search = commandsUnder('Be found').find((text) => text.startsWith('curl ')) ?? ''

/** The first test opens it, because a hook may not poll for the output of a program. */
let world: Awaited<ReturnType<typeof openWorld>> | undefined
afterAll(() => world?.[Symbol.asyncDispose]())

describe.each(sampledLines())('with the packages of the $line line', (line) => {
  it('is found by a search after its first paid call, as the page says', {
    timeout: 240_000,
  }, async ({ skip }) => {
    const missing = notInstalled(line)
    if (missing !== undefined) return skip(missing)
    world ??= await openWorld()
    const { localnet, facilitatorUrl, seller, buyer } = world
    await using folder = await SellersFolder.create(line, {
      FACILITATOR_URL: facilitatorUrl,
      STELLAR_RPC_URL: localnet.rpcUrl,
      NODE_EXTRA_CA_CERTS: localnet.caFile ?? '',
      PAY_TO: seller.address,
      BUYER_SECRET: buyer.secret,
    })
    await folder.save('express.mjs', declaring)
    await folder.save('client.mjs', file('client.mjs'))
    await using server = await folder.serve('express.mjs', await freePort())

    const bought = await folder.run('client.mjs', [server.url])
    expect(bought.output).toContain('200 {"joke":')

    await expect
      .poll(async () => (await folder.type(search)).output, { timeout: 240_000, interval: 200 })
      .toContain(`"resource":"${server.url}"`)
  })
})
