import { afterAll, beforeAll, expect, it } from 'vitest'
import { freePort } from '../../../support/free-port.ts'
import { buyers } from '../../../support/stock/buyers-page.ts'
import { type Served, sampledLines } from '../../../support/stock/sellers-folder.ts'
import { forEachLine } from '../../../support/stock/sellers-stack.ts'

/* The metered route of docs/sellers.md, and the client of docs/buyers.md that pays for it. */

const client = buyers.file('buy.mjs')

/** The client, which after its first call pays for some more. */
const again = `${client}
for (const url of process.argv.slice(3)) {
  const next = await pay(url)
  const settled = next.headers.get('payment-response') ?? ''
  console.log(next.status, JSON.parse(Buffer.from(settled, 'base64').toString()))
}
`

/** Without its policy, so that its scheme alone stands between the offer and the signature. */
const refusing = client.replace('1_000_000n', '499_999n').replace('client.registerPolicy', 'Object')

forEachLine({ lines: sampledLines(), upto: true, withProject: true }, (market) => {
  let server: Served
  beforeAll(async () => {
    // Undefined where the packages of the line are not installed.
    const { folder } = market() ?? {}
    if (folder) server = await folder.serve('metered.mjs', await freePort())
  })
  afterAll(() => server?.[Symbol.asyncDispose]())

  it('charges what was used, nothing, and at most the ceiling', async () => {
    const { folder, buyer, seller, balanceOf } = market()
    const before = await Promise.all([balanceOf(buyer.address), balanceOf(seller.address)])
    await folder.save('again.mjs', again)
    const urls = [60, 0, 1_000].map((laughs) => `${server.url}?laughs=${laughs}`)

    const { code, output } = await folder.run('again.mjs', urls)

    expect(code, output).toBe(0)
    expect(output).toContain(`200 {"story":"${'ha'.repeat(60)}"}`)
    const amounts = [...output.matchAll(/amount: '(\d+)'/g)].map(([, amount]) => amount)
    expect(amounts).toEqual(['120000', '0', '500000'])
    expect([...output.matchAll(/transaction: '[0-9a-f]{64}'/g)]).toHaveLength(3)
    expect(await balanceOf(buyer.address)).toBe((before[0] ?? 0n) - 620_000n)
    expect(await balanceOf(seller.address)).toBe((before[1] ?? 0n) + 620_000n)
  })

  it('signs no ceiling above the limit', async () => {
    const { folder, buyer, balanceOf } = market()
    const before = await balanceOf(buyer.address)
    await folder.save('refusing.mjs', refusing)

    const { code, output } = await folder.run('refusing.mjs', [server.url])

    expect(code).toBe(1)
    expect(output).toMatch(
      /The ceiling is 500000 base units of C\w{55}, and maxAmounts allows 499999/,
    )
    expect(await balanceOf(buyer.address)).toBe(before)
  })
})
