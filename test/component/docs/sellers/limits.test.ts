import { expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { sampledLines } from '../../../support/stock/sellers-folder.ts'
import { change, file } from '../../../support/stock/sellers-page.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'

const withPrice = (price: string) => file('express.mjs').replace('$0.01', price)
const withLimit = (usdc: bigint) =>
  file('client.mjs').replace('1_000_000n', `${usdc * 10_000_000n}n`)

forEachLine({ lines: sampledLines() }, (market, line) => {
  it.each(['client.mjs', 'client-axios.mjs'])(
    'pays no more for a call than %s allows',
    async (name) => {
      const { folder, buyer, balanceOf } = market()
      const before = await balanceOf(buyer.address)
      await folder.save('dear.mjs', withPrice('$0.11'))
      await using server = await folder.serve('dear.mjs', await freePort())

      const { code, output } = await folder.run(name, [server.url])

      expect(code).toBe(1)
      expect(output).toContain('filtered out by policies')
      expect(await balanceOf(buyer.address)).toBe(before)
    },
  )

  it('spends no more in all than the budget', async () => {
    const { folder, buyer, balanceOf } = market()
    const before = await balanceOf(buyer.address)
    const budget = change('onBeforePaymentCreation')
    const twice = `${file('client.mjs', budget)}\nawait pay(process.argv[2])\n`
    await folder.save('twice.mjs', twice.replace('5_000_000n', '150_000n'))
    await using server = await folder.serve('express.mjs', await freePort())

    const { code, output } = await folder.run('twice.mjs', [server.url])

    expect(output).toContain('200 {"joke":')
    expect(output).toContain('the budget is used up')
    expect(code).toBe(1)
    expect(await balanceOf(buyer.address)).toBe(before - 100_000n)
  })

  if (line.line === '2.9.0') return

  it('has a limit of 1 USD of its own', async () => {
    const { folder } = market()
    await folder.save('dear.mjs', withPrice('$1.01'))
    await folder.save('generous.mjs', withLimit(2n))
    await using server = await folder.serve('dear.mjs', await freePort())

    const { code, output } = await folder.run('generous.mjs', [server.url])

    expect(code).toBe(1)
    expect(output).toContain('spendControls.maxAmountPerPayment ($1')
  })
})
