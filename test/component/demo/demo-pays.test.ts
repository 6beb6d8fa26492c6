import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { allGone, DemoProcess, ownPlace } from './demo-process.ts'

describe('svc demo', () => {
  it('killed with SIGKILL leaves no process behind; the next, --once, pays, reports it, and leaves no file either', {
    timeout: 240_000,
  }, async () => {
    await using place = await ownPlace()
    await using killed = new DemoProcess('demo', ...place.flags)
    await killed.printed(/✓ facilitator/)
    const orphans = await killed.descendants()
    expect(orphans.length).toBeGreaterThan(2)
    killed.signal('SIGKILL')
    await killed.ended
    await allGone(orphans)

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
})

/** In stroops. */
function sponsorPaid(output: string): number {
  const [, before, after] = /sponsor +G\S+ +([\d.]+) XLM {2}→ {2}([\d.]+) XLM/.exec(output) ?? []
  return Math.round((Number(before) - Number(after)) * 1e7)
}

function feeOf(output: string): number {
  return Number(/\(([\d,]+) stroops\)/.exec(output)?.[1]?.replaceAll(',', ''))
}
