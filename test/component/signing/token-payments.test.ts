import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { channelSigner } from '../../../src/payments/channels/derive.ts'
import { addressOf } from '../../../src/stellar/accounts/strkey.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import { noSoftHsm } from '../../support/softhsm/no-softhsm.ts'
import { type SoftHsmToken, startToken } from '../../support/softhsm/start-token.ts'
import {
  CHANNELS,
  expectOutage,
  network,
  openSignerWorld,
  type SignerWorld,
} from './payments-world.ts'

const missing = await noSoftHsm()

const openAt = (token: SoftHsmToken, signerTimeoutMs?: number) =>
  openSignerWorld({
    sponsor: addressOf(token.publicKey),
    place: token.place,
    ...(signerTimeoutMs !== undefined && { signerTimeoutMs }),
  })

/** The process that holds the library now. */
async function libraryProcess(): Promise<number | undefined> {
  const args = ['-P', String(process.pid), '-f', 'library-worker']
  const found = await promisify(execFile)('pgrep', args).catch(() => ({ stdout: '' }))
  return Number(found.stdout.trim().split('\n').at(-1)) || undefined
}

describe('a facilitator whose sponsor signs in a token', { timeout: 240_000 }, () => {
  let token: SoftHsmToken
  let opened: SignerWorld

  beforeAll(async () => {
    if (missing !== undefined) return
    token = await startToken()
    for (const [name, value] of Object.entries(token.environment)) vi.stubEnv(name, value)
    opened = await openAt(token)
  }, 240_000)
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing)
  })
  afterAll(async () => {
    await opened?.[Symbol.asyncDispose]()
    await token?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })

  test('pays with the key of the token, through channels of the other secret', async () => {
    const { world, channelSecret } = opened
    const { stack } = world
    await opened.untilItWorks()
    const since = stack.localnet.network.latest.sequence
    const bodies = await Promise.all([1n, 2n, 3n, 4n].map((amount) => world.pay({ amount })))
    const answers = await Promise.all(bodies.map((body) => stack.post('/settle', body)))
    for (const { body } of answers) expect(body).toMatchObject({ success: true })
    const channels = Array.from(
      { length: CHANNELS },
      (_, index) => channelSigner(channelSecret, network, index).address,
    )
    expect(stack.facilitator.networks.get(network)?.channels.addresses).toEqual(channels)
    const settled = new Set(answers.map(({ body }) => body.transaction))
    const sent = transactionsAfter(stack.localnet.network, since).filter(({ hash }) =>
      settled.has(hash),
    )
    expect(sent).toHaveLength(4)
  })

  test('answers 503 without its token, holds no channel and pays nothing, and settles the same payment later', async () => {
    const { world, health, untouched } = opened
    const { stack } = world
    await opened.untilItWorks()
    const before = await untouched()
    const body = await world.pay({ amount: 7n })
    await token.remove()
    const refused = await stack.post('/settle', body)
    expectOutage(refused)
    expect(JSON.stringify(refused.body)).not.toContain(token.pin)
    expect((await stack.post('/verify', body)).status).toBe(503)
    expect(health()).toMatchObject({ state: 'fails', error: { problem: 'unreachable' } })
    const checks = (await stack.get('/ready')).body.checks
    expect(checks[`${network}:sponsor`]).toMatchObject({ ok: false })
    expect(await untouched()).toEqual(before)
    await token.putBack()
    await opened.untilItWorks()
    expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
    const again = await stack.post('/settle', body)
    expect(again.body).toMatchObject({ success: true })
  })

  test('waits for a library that hangs no longer than it may, and settles the same payment with a new process', async () => {
    const { world, health, untouched } = opened
    await opened.untilItWorks()
    const before = await untouched()
    const body = await world.pay({ amount: 9n })
    const hanging = await libraryProcess()
    // It never answers, and nothing but the facilitator ends it.
    process.kill(hanging!, 'SIGSTOP')
    expectOutage(await world.stack.post('/settle', body))
    expect(health()).toMatchObject({
      state: 'fails',
      error: { problem: 'unreachable', message: 'The signer did not answer within 10000 ms.' },
    })
    expect(await untouched()).toEqual(before)
    await opened.untilItWorks()
    expect(await libraryProcess()).not.toBe(hanging)
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
    expect((await world.stack.post('/settle', body)).body).toMatchObject({ success: true })
  })

  test('uses no other key that takes the place of its own', async () => {
    const { world, health, untouched } = opened
    await opened.untilItWorks()
    const before = await untouched()
    const body = await world.pay({ amount: 8n })
    await token.deleteKeys()
    const other = addressOf(await token.generateKey())
    expectOutage(await world.stack.post('/settle', body))
    await expect
      .poll(health, { timeout: 60_000 })
      .toMatchObject({ error: { problem: 'no_key', message: expect.stringContaining(other) } })
    expect(await untouched()).toEqual(before)
  })
})

test('a service that starts with a wrong PIN makes its channels and payments once the file has the right one', {
  timeout: 240_000,
}, async ({ skip }) => {
  if (missing !== undefined) return skip(missing)
  await using token = await startToken()
  for (const [name, value] of Object.entries(token.environment)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  await token.writePin('0000\n')
  await using opened = await openAt(token)
  const { world, health, warnings } = opened
  const { stack } = world
  await expect.poll(health).toMatchObject({ state: 'fails', error: { problem: 'denied' } })
  expect(await warnings()).toContain('signer_unreachable')
  const body = await world.pay()
  const refused = await stack.post('/settle', body)
  expectOutage(refused)
  expect(stack.taken).toEqual([])
  await token.writePin(`${token.pin}\n`)
  await opened.untilItWorks()
  const served = () => stack.facilitator.networks.get(network)
  await expect.poll(() => served()?.channels.addresses.length).toBe(CHANNELS)
  expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
})
