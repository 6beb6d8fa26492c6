import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runningDemo } from '../../../src/demo/state/demo-state.ts'
import { allGone, DemoProcess, ownPlace } from './demo-process.ts'

/* One demo that serves on, which loses its facilitator at the end. */

const opened = new AsyncDisposableStack()
let place: Awaited<ReturnType<typeof ownPlace>>
let folder: string
let demo: DemoProcess
let places: { url: string; facilitator: string; explorer: string }

beforeAll(async () => {
  place = opened.use(await ownPlace())
  folder = join(place.folder, 'demo')
  demo = opened.use(new DemoProcess('demo', ...place.flags))
  await demo.printed(/Ctrl-C stops everything/)
  places = {
    url: /paid API +(http\S+)/.exec(demo.output)?.[1] ?? '',
    facilitator: /facilitator +(http\S+\/supported)/.exec(demo.output)?.[1] ?? '',
    explorer: /in a browser:\n\n +(http\S+\/ui\/)\n/.exec(demo.output)?.[1] ?? '',
  }
})
afterAll(() => opened.disposeAsync())

describe('a demo that serves on', () => {
  it('prints where each part is, and the explorer shows both payments', async () => {
    const transactions = [...demo.output.matchAll(/transaction +([0-9a-f]{64})/g)]
    expect(transactions).toHaveLength(2)
    const overview = await (await fetch(places.explorer)).text()
    for (const [, transaction = ''] of transactions) expect(overview).toContain(transaction)
    expect((await fetch(places.url)).status).toBe(402)
    expect((await fetch(places.facilitator)).status).toBe(200)
    // svc status would look at another demo, which may run in the default folder.
    const health = places.facilitator.replace('/supported', '/health')
    expect(demo.output).toContain(`curl ${health}\n`)
  })

  it('takes payments of svc pay: at a fixed price, metered, and not above what the buyer allows', async () => {
    const file = join(place.folder, 'receipt.json')
    await using payment = new DemoProcess('pay', '--save-receipt', file, '--dir', folder)
    const paid = await payment.ended
    expect(paid.code, paid.output).toBe(0)
    expect(paid.output).toMatch(/buyer +G\S+ +9\.9852 USDC {2}→ {2}9\.9752 USDC/)
    await using checked = new DemoProcess('receipt', 'verify', file, '--offline')
    expect(await checked.ended).toEqual({
      code: 0,
      output: expect.stringMatching(
        /receiptSignature +valid.*\n +authority +valid.*\n +terms +valid/,
      ),
    })

    await using metered = new DemoProcess('pay', '/forecast?days=30', '--dir', folder)
    const long = await metered.ended
    expect(long.code, long.output).toBe(0)
    expect(long.output).toMatch(/used +0\.0354 USDC[\s\S]*paid +0\.02 USDC/)
    await using dear = new DemoProcess('pay', '/forecast', '--max', '0.01', '--dir', folder)
    expect(await dear.ended).toEqual({
      code: 1,
      output: expect.stringContaining('the ceiling is 0.02 USDC, and the most to pay is 0.01 USDC'),
    })
  })

  it('shows what became of a payment, and needs no authority to be named', async () => {
    await using payment = new DemoProcess('pay', '--json', '--dir', folder)
    const { receipt } = JSON.parse((await payment.ended).output)
    const rpc = (await runningDemo(folder))?.rpcUrl ?? ''
    const args = [receipt.reference, '--rpc', rpc, '--dir', folder]
    await using asked = new DemoProcess('pay', 'status', ...args)
    expect(await asked.ended).toEqual({
      code: 0,
      output: expect.stringMatching(
        new RegExp(
          `state +settled\\n +paid +0\\.01 USDC\\n +transaction +${receipt.transaction}\\n$`,
        ),
      ),
    })
  })

  it('makes a second start in its folder refuse', async () => {
    await using second = new DemoProcess('demo', ...place.flags)
    const refused = await second.ended
    expect(refused.code).toBe(1)
    expect(refused.output).toContain(`a demo is already running (process ${demo.pid})`)
    expect(refused.output).not.toMatch(/^\s+at /m)
  })

  it('reports a part that dies, and stops the others', async () => {
    const processes = await demo.descendants()
    process.kill(await demo.facilitator(), 'SIGKILL')
    const { code, output } = await demo.ended
    expect(code).toBe(1)
    expect(output).toContain('the facilitator was stopped')
    expect(output).not.toMatch(/^\s+at |node:internal/m)
    await allGone(processes)
    for (const url of Object.values(places)) await expect(fetch(url)).rejects.toThrow()

    await using late = new DemoProcess('pay', '--dir', folder)
    expect(await late.ended).toEqual({
      code: 1,
      output: expect.stringContaining('no demo runs here'),
    })
  })
})
