import { once } from 'node:events'
import { chmod, mkdir, readdir, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runHere } from '../commands/run-here.ts'
import { allGone, DemoProcess, ownPlace } from './demo-process.ts'

/** No stack and no message of Node. */
const plain = (output: string) => expect(output).not.toMatch(/^\s+at |node:internal/m)

/** A port that a program listens on until the test ends. */
async function takenPort(): Promise<number> {
  const squatter = createServer().listen(0, '127.0.0.1')
  await once(squatter, 'listening')
  onTestFinished(() => {
    squatter.close()
  })
  return (squatter.address() as AddressInfo).port
}

describe('svc demo, when something goes wrong', () => {
  it('names every chosen port that is taken, with its flag, and starts nothing', async () => {
    await using place = await ownPlace()
    const flags = [
      '--port',
      '--facilitator-port',
      '--explorer-port',
      '--network-port',
      '--network-tls-port',
    ]
    const taken = await Promise.all(flags.map(async (flag) => ({ flag, port: await takenPort() })))
    const chosen = taken.flatMap(({ flag, port }) => [flag, String(port)])

    await using demo = new DemoProcess('demo', '--once', '--dir', place.folder, ...chosen)
    const { code, output } = await demo.ended

    expect(code).toBe(1)
    for (const { flag, port } of taken) {
      expect(output).toContain(`port ${port} (${flag}) is taken by another program`)
    }
    expect(output).not.toContain('✓')
    plain(output)
  })

  it.each([
    { when: 'while Postgres starts', after: /x402 payments on/ },
    { when: 'while the facilitator starts', after: /✓ accounts/ },
  ])('interrupted $when stops every process it has started', async ({ after }) => {
    await using place = await ownPlace()
    await using demo = new DemoProcess('demo', ...place.flags)
    await demo.printed(after)
    const processes = await demo.descendants()
    demo.signal('SIGINT')
    const { code, output } = await demo.ended
    expect(code).toBe(130)
    plain(output)
    await allGone(processes)
  })

  it('interrupted twice leaves neither data nor seeds', { timeout: 240_000 }, async () => {
    await using place = await ownPlace()
    // In a folder that the database's user may enter, so that its data lies there, also for root.
    await chmod(place.folder, 0o755)
    await using demo = new DemoProcess('demo', ...place.flags)
    // By then the file with the seeds is there.
    await demo.printed(/✓ paid API[\s\S]*payment/)
    const folder = join(place.folder, 'demo')
    expect((await readdir(folder)).join()).toMatch(/demo\.json.*svc-postgres-/)
    // The facilitator does not end, so the demo waits for it.
    process.kill(await demo.facilitator(), 'SIGSTOP')

    demo.signal('SIGINT')
    await demo.printed(/Ctrl-C again/)
    demo.signal('SIGINT')

    expect((await demo.ended).code).toBe(130)
    const left = ['facilitator.log', 'localnet-ca.pem', 'localnet-tls.pem']
    await expect.poll(() => readdir(folder), { timeout: 240_000, interval: 100 }).toEqual(left)
  })

  it('reports a folder that it cannot write to', async () => {
    await using place = await ownPlace()
    const file = join(place.folder, 'file')
    await mkdir(place.folder, { recursive: true })
    await writeFile(file, '')
    await using demo = new DemoProcess('demo', ...place.ports, '--dir', join(file, 'demo'))
    const { code, output } = await demo.ended
    expect(code).toBe(1)
    expect(output).toContain(file)
    plain(output)
  })

  it('says on standard error what a flag allows, and ends with 64', async () => {
    await using demo = new DemoProcess('demo', '--port', '70000')
    const { code, output } = await demo.ended
    expect(code).toBe(64)
    expect(output).toContain('--port is a port from 0 to 65535, not 70000')
    plain(output)
  })

  it.each([
    { flags: ['--close-every', 'soon'], says: '--close-every is a time such as 5s or 250ms' },
    { flags: ['--store', 'paper'], says: '--store is postgres or memory, not paper' },
    { flags: ['--twice'], says: "Unknown option '--twice'" },
    {
      flags: ['--port', '5000', '--network-port', '5000'],
      says: '--port and --network-port must differ, both are 5000',
    },
  ])('refuses $flags and names the allowed values', async ({ flags, says }) => {
    const { code, out, err } = await runHere({}, 'demo', ...flags)
    expect(code).toBe(64)
    expect(err).toContain(says)
    plain(out + err)
  })
})
