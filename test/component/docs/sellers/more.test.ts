import { Asset } from '@stellar/stellar-sdk'
import { expect, it } from 'vitest'
import { passphrases, usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { defaultAssets } from '../../../../src/settings/sections/assets.ts'
import { freePort } from '../../../support/free-port.ts'
import { sampledLines } from '../../../support/stock/sellers-folder.ts'
import { change, file } from '../../../support/stock/sellers-page.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'

const xlm = Asset.native().contractId(passphrases['stellar:testnet'])
const usdc = usdcContracts['stellar:testnet']

const assets = [
  ...defaultAssets('stellar:testnet'),
  { contract: xlm, symbol: 'XLM', decimals: 7, min: 1n },
]

/** The client of the page, which also prints the headers that it sends. */
const watching = file('client.mjs').replace(
  'wrapFetchWithPayment(fetch,',
  `wrapFetchWithPayment((request) => {
    for (const [name, value] of new Request(request).headers) console.log(name, value)
    return fetch(request)
  },`,
)

forEachLine({ lines: sampledLines(), network: { assets } }, (market) => {
  it('logs payments, and refusals with their reason', async () => {
    const { folder, buyer } = market()
    await folder.save('logging.mjs', file('express.mjs', change("console.log('paid'")))
    await folder.save('watching.mjs', watching)
    await using server = await folder.serve('logging.mjs', await freePort())
    const { output } = await folder.run('watching.mjs', [server.url])
    expect(server.output()).toMatch(new RegExp(`^paid [0-9a-f]{64} ${buyer.address}$`, 'm'))

    const used = /^payment-signature (\S+)$/m.exec(output)?.[1] ?? ''
    const refused = await fetch(server.url, { headers: { 'payment-signature': used } })

    expect(refused.status).toBe(402)
    const code = 'invalid_exact_stellar_payload_nonce_already_used'
    expect(server.output()).toMatch(new RegExp(`^refused ${code} .+`, 'm'))
  })

  it('sells for another asset', async () => {
    const { folder } = market()
    await folder.save('for-xlm.mjs', file('express.mjs', change("amount: '2500000'")))
    await folder.save(
      'with-xlm.mjs',
      file('client.mjs').replace(usdc, xlm).replace('1_000_000n', '2_500_000n'),
    )
    await using server = await folder.serve('for-xlm.mjs', await freePort())

    const { output } = await folder.run('with-xlm.mjs', [server.url])

    expect(output).toContain('200 {"joke":')
  })

  it('lets a browser of another origin send what the stock client sends', async () => {
    const { folder } = market()
    await folder.save('cors.mjs', file('express.mjs', change('access-control')))
    await folder.save('watching.mjs', watching)
    await using server = await folder.serve('cors.mjs', await freePort())

    const preflight = await fetch(server.url, { method: 'OPTIONS' })
    const { output } = await folder.run('watching.mjs', [server.url])

    expect(preflight.status).toBe(204)
    const names = (header: string) => preflight.headers.get(header)?.toLowerCase().split(', ') ?? []
    const sent = [...output.matchAll(/^([a-z-]+) /gm)].map(([, name]) => name)
    expect(sent).toContain('payment-signature')
    expect(names('access-control-allow-headers')).toEqual(expect.arrayContaining(sent))
    expect(names('access-control-expose-headers')).toEqual(['payment-required', 'payment-response'])
    expect(output).toContain('200 {"joke":')
  })
})
