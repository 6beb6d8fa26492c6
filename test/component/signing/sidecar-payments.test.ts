import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { emptyChain, nextLine } from '../../../examples/signer-sidecar/log/line.ts'
import { startLyingSigner } from './lying-signer.ts'
import { expectOutage, openSignerWorld, type SignerWorld } from './payments-world.ts'
import { type SidecarClock, sidecarClock } from './sidecar-clock.ts'
import {
  configOf,
  openFolder,
  type Sidecar,
  type SidecarFolder,
  sponsor,
  startSidecar,
} from './sidecar-process.ts'

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const signingFailed = 'settle_exact_stellar_fee_bump_signing_failed'

let folder: SidecarFolder
beforeAll(async () => {
  folder = await openFolder()
})
afterAll(() => folder[Symbol.asyncDispose]())

const openAt = (socketPath: string) =>
  openSignerWorld({ sponsor: sponsor.address, place: { kind: 'http', endpoint: { socketPath } } })

describe('a facilitator whose sponsor signs in the reference sidecar', { timeout: 240_000 }, () => {
  let clock: SidecarClock
  let sidecar: Sidecar
  let opened: SignerWorld
  const configWith = (policy: object, logFile = 'log.jsonl') => ({
    ...configOf(
      folder,
      { socketPath: folder.path('signer.sock') },
      { dataEntries: ['x402.svc.dev/store'], ...policy },
    ),
    logFile: folder.path(logFile),
  })
  /** Another one takes the place of the one that runs. */
  const replaceBy = async (policy: object, logFile?: string) => {
    await sidecar?.stop('SIGTERM')
    sidecar = await startSidecar(folder, configWith(policy, logFile), clock.prefix)
  }

  beforeAll(async () => {
    clock = sidecarClock(folder)
    await replaceBy({})
    opened = await openAt(folder.path('signer.sock'))
  }, 240_000)
  beforeEach(async () => {
    clock.set(0)
    await replaceBy({})
    await opened.untilItWorks()
  })
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]()
    await sidecar?.[Symbol.asyncDispose]()
  })

  /** The rules refuse it: nothing is sent or held, and the same payment is made once they allow it. */
  async function expectRefusedUntil(code: string, isAllowed: () => Promise<void>): Promise<void> {
    const { world, untouched, health } = opened
    const { stack } = world
    const before = await untouched()
    const body = await world.pay()
    const refused = await stack.post('/settle', body)
    expect(refused.body).toMatchObject({
      success: false,
      errorReason: signingFailed,
      transaction: '',
    })
    expect(sidecar.output()).toContain(`"refused":"${code}"`)
    expect(await untouched()).toEqual(before)
    // One refusal is no outage: others may be signed.
    expect(health()).toEqual({ state: 'works' })
    await isAllowed()
    expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
    expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
  }

  test('pays, and the log has what was signed', async () => {
    const { world } = opened
    const bodies = await Promise.all([1n, 2n, 3n, 4n].map((amount) => world.pay({ amount })))
    const answers = await Promise.all(bodies.map((body) => world.stack.post('/settle', body)))
    const log = await readFile(folder.path('log.jsonl'), 'utf8')
    for (const { body } of answers) {
      expect(body).toMatchObject({ success: true })
      expect(log).toContain(body.transaction)
    }
  })

  test('a sidecar that is away is an outage: no channel is held, nothing is sent, and the payment is made later', async () => {
    const { world, untouched, health, warnings } = opened
    const before = await untouched()
    const body = await world.pay()
    await sidecar.stop('SIGKILL')
    expectOutage(await world.stack.post('/settle', body))
    expect(health()).toMatchObject({ state: 'fails', error: { problem: 'unreachable' } })
    expect(await warnings()).toContain('signer_unreachable')
    expect(await untouched()).toEqual(before)
    await replaceBy({})
    await opened.untilItWorks()
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
  })

  test('a clock that is far ahead takes each transaction for one of the past', () => {
    clock.set(20 * MINUTE_MS)
    return expectRefusedUntil('max_time', async () => {
      expect(sidecar.output()).toContain('the max time has passed')
      clock.set(0)
    })
  })

  test('a clock that is far behind takes each transaction for one that is valid too long', async () => {
    // The time never goes back before that of a line in the log, so this one begins a log.
    clock.set(-20 * MINUTE_MS)
    await replaceBy({}, 'log-of-a-late-clock.jsonl')
    await opened.untilItWorks()
    await expectRefusedUntil('max_time', async () => {
      expect(sidecar.output()).toContain('the max time is more than 600 s ahead')
      clock.set(0)
    })
  })

  test('what the sponsor may spend in an hour is refused beyond, and signed when the hour is over', async () => {
    // Of the past hour all is spent, by a line of the log that leaves that hour within the next two minutes.
    clock.set(-2 * MINUTE_MS)
    const time = Date.now() - 2 * MINUTE_MS - HOUR_MS + MINUTE_MS
    const spent = {
      network: 'stellar:testnet',
      purpose: 'settlement',
      hash: 'ab'.repeat(32),
      fee: 10_000_000n,
      xlm: 0n,
      accounts: 0,
    }
    const { text } = nextLine(emptyChain, spent, { time, isRepeat: false })
    await writeFile(folder.path('log-of-an-hour.jsonl'), `${text}\n`, { mode: 0o600 })
    await replaceBy({ maxXlmPerHour: '1' }, 'log-of-an-hour.jsonl')
    await opened.untilItWorks()
    await expectRefusedUntil('fees_per_hour', async () => clock.set(0))
    const verifier = 'examples/signer-sidecar/verify-log.ts'
    const log = folder.path('log-of-an-hour.jsonl')
    const { stdout } = await promisify(execFile)(process.execPath, [verifier, log])
    expect(stdout).toMatch(/^lines +2$/m)
  })
})

describe('a facilitator whose key service lies', { timeout: 240_000 }, () => {
  test('sends nothing with a wrong signature, says so, and pays when the service signs rightly again', async () => {
    const socketPath = folder.path('liar.sock')
    await using signer = await startLyingSigner(socketPath, sponsor)
    await using opened = await openAt(socketPath)
    const { world, untouched, health, warnings } = opened
    const { stack } = world
    await opened.untilItWorks()
    expect((await stack.post('/settle', await world.pay())).body).toMatchObject({ success: true })
    const lies = [
      'signs another hash',
      'signs with another key',
      'gives the same signature to all',
    ] as const
    for (const lie of lies) {
      const before = await untouched()
      const body = await world.pay()
      signer.tell(lie)
      const { asked } = signer
      expectOutage(await stack.post('/settle', body))
      expect(signer.asked, lie).toBe(asked + 1)
      expect(health(), lie).toMatchObject({ state: 'fails', error: { problem: 'invalid' } })
      expect(await warnings(), lie).toContain('signer_unreachable')
      expect(await untouched(), lie).toEqual(before)
      signer.tell('none')
      await opened.untilItWorks()
      expect((await stack.post('/settle', body)).body, lie).toMatchObject({ success: true })
    }
  })
})
