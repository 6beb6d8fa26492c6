import { describe, expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { startStack } from '../../../support/stack.ts'
import { notInstalled, SellersFolder, sampledLines } from '../../../support/stock/sellers-folder.ts'
import { commandsUnder, file } from '../../../support/stock/sellers-page.ts'

describe.each(sampledLines())('with the packages of the $line line', (line) => {
  it('creates the accounts, sells a call, and finds it on the ledger, as the page says', {
    timeout: 240_000,
  }, async ({ skip }) => {
    const missing = notInstalled(line)
    if (missing !== undefined) return skip(missing)
    await using stack = await startStack({ closeEveryMs: 1_000, tls: true })
    const { localnet, baseUrl } = stack
    const inPlace = (text: string) =>
      text
        .replace('http://127.0.0.1:8080', baseUrl)
        .replace('https://127.0.0.1:8443', localnet.rpcUrl)
        .replace('http://127.0.0.1:8000', localnet.httpUrl)
        .replace(/\$HOME\/\S*localnet-ca.pem/, localnet.caFile ?? '')
    await using folder = await SellersFolder.create(line)
    for (const name of ['account.mjs', 'express.mjs', 'client.mjs']) {
      await folder.save(name, file(name))
    }
    const [withDemo = ''] = commandsUnder('2. Choose')
    const [accounts = '', faucet = ''] = commandsUnder('3. Create')
    const [sell = ''] = commandsUnder('Express')
    const [buy = ''] = commandsUnder('5. Buy')
    const [look = ''] = commandsUnder('7. When')

    const created = await folder.type(inPlace(`${withDemo}\n${accounts}\n${faucet}\necho\nenv`))
    expect(created.code, created.output).toBe(0)
    const variables = Object.fromEntries(
      [...created.output.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]),
    )

    const port = await freePort()
    await using _server = await folder.serve(sell.trim().replace('node ', ''), port, variables)
    const bought = await folder.type(`${buy.trim()} http://127.0.0.1:${port}/joke`, variables)
    expect(bought.output).toContain('200 {"joke":')

    const hash = /transaction: '([0-9a-f]{64})'/.exec(bought.output)?.[1] ?? ''
    const found = await folder.type(inPlace(look).replace('HASH', hash))
    expect(found.output).toContain('"status":"SUCCESS"')
  })
})
