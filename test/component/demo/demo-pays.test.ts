import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allGone, DemoProcess, ownPlace } from './demo-process.ts'

describe('svc demo', () => {
  it('--once pays, reports the payment, and leaves no process or file behind', {
    timeout: 90_000,
  }, async () => {
    await using place = await ownPlace()
    await using demo = new DemoProcess('demo', '--once', ...place.flags)
    await demo.printed(/✓ facilitator/)
    const processes = await demo.descendants()
    expect(processes.length).toBeGreaterThan(2)

    const { code, output } = await demo.ended

    expect(code, output).toBe(0)
    expect(output).toMatch(/price +0\.01 USDC/)
    expect(output).toMatch(/buyer +G\S+ +10 USDC {2}→ {2}9\.99 USDC/)
    expect(output).toMatch(/seller +G\S+ +1 USDC {2}→ {2}1\.01 USDC/)
    expect(output).toMatch(/✓ explorer +shows the payments on http/)
    const [exact = '', metered = ''] = output.split(/^One metered call: GET http\S+\/forecast$/m)
    expect(metered).toMatch(/ceiling +0\.02 USDC, signed by the buyer/)
    expect(metered).toMatch(/used +0\.0048 USDC: 48 bytes of answer at 0\.0001 USDC/)
    expect(metered).toMatch(/paid +0\.0048 USDC/)
    expect(metered).toMatch(/buyer +G\S+ +9\.99 USDC {2}→ {2}9\.9852 USDC/)
    expect(metered).toMatch(/seller +G\S+ +1\.01 USDC {2}→ {2}1\.0148 USDC/)
    for (const report of [exact, metered]) {
      expect(report).toMatch(/transaction +[0-9a-f]{64}/)
      expect(sponsorPaid(report)).toBe(feeOf(report))
    }
    for (const stage of ['answered 402', 'signed', 'verified', 'settled', 'answered 200']) {
      expect(output).toMatch(new RegExp(`${stage} +[\\d.]+ m?s`))
    }
    // biome-ignore lint/suspicious/noControlCharactersInRegex: an output that is no terminal gets none
    expect(output).not.toMatch(/\x1b|\r/)
    await allGone(processes)
    expect(await readdir(join(place.folder, 'demo'))).toEqual([
      'facilitator.log',
      'localnet-ca.pem',
      'localnet-tls.pem',
    ])
  })

  it('keeps serving, takes another payment, refuses a second start in its folder, and ends with Ctrl-C', {
    timeout: 120_000,
  }, async () => {
    await using place = await ownPlace()
    await using demo = new DemoProcess('demo', ...place.flags)
    await demo.printed(/Ctrl-C stops everything/)
    const url = /paid API +(http\S+)/.exec(demo.output)?.[1] ?? ''
    const facilitator = /facilitator +(http\S+\/supported)/.exec(demo.output)?.[1] ?? ''
    const explorer = /in a browser:\n\n +(http\S+\/ui\/)\n/.exec(demo.output)?.[1] ?? ''
    const processes = await demo.descendants()

    const transactions = [...demo.output.matchAll(/transaction +([0-9a-f]{64})/g)]
    expect(transactions).toHaveLength(2)
    const overview = await (await fetch(explorer)).text()
    for (const [, transaction = ''] of transactions) expect(overview).toContain(transaction)
    expect((await fetch(url)).status).toBe(402)
    expect((await fetch(facilitator)).status).toBe(200)
    // svc status would look at another demo, which may run in the default folder.
    expect(demo.output).toContain(`curl ${facilitator.replace('/supported', '/health')}\n`)

    await using payment = new DemoProcess('pay', '--dir', join(place.folder, 'demo'))
    const paid = await payment.ended
    expect(paid.code, paid.output).toBe(0)
    expect(paid.output).toMatch(/buyer +G\S+ +9\.9852 USDC {2}→ {2}9\.9752 USDC/)

    const folder = join(place.folder, 'demo')
    await using metered = new DemoProcess('pay', '/forecast?days=30', '--dir', folder)
    const long = await metered.ended
    expect(long.code, long.output).toBe(0)
    expect(long.output).toMatch(/used +0\.0354 USDC[\s\S]*paid +0\.02 USDC/)
    await using dear = new DemoProcess('pay', '/forecast', '--max', '0.01', '--dir', folder)
    expect(await dear.ended).toEqual({
      code: 1,
      output: expect.stringContaining('the ceiling is 0.02 USDC, and the most to pay is 0.01 USDC'),
    })

    await using second = new DemoProcess('demo', ...place.flags)
    const refused = await second.ended
    expect(refused.code).toBe(1)
    expect(refused.output).toContain(`a demo is already running (process ${demo.pid})`)
    expect(refused.output).not.toMatch(/^\s+at /m)

    demo.signal('SIGINT')
    const { code } = await demo.ended
    expect(code).toBe(0)
    await allGone(processes)
    await expect(fetch(url)).rejects.toThrow()
    await expect(fetch(facilitator)).rejects.toThrow()
    await expect(fetch(explorer)).rejects.toThrow()

    await using late = new DemoProcess('pay', '--dir', join(place.folder, 'demo'))
    expect(await late.ended).toEqual({
      code: 1,
      output: expect.stringContaining('no demo runs here'),
    })
  })
})

/** In stroops. */
function sponsorPaid(output: string): number {
  const [, before, after] = /sponsor +G\S+ +([\d.]+) XLM {2}→ {2}([\d.]+) XLM/.exec(output) ?? []
  return Math.round((Number(before) - Number(after)) * 1e7)
}

function feeOf(output: string): number {
  return Number(/\(([\d,]+) stroops\)/.exec(output)?.[1]?.replaceAll(',', ''))
}
