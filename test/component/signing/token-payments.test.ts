import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { channelSigner } from '../../../src/payments/channels/derive.ts'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'
import { addressOf } from '../../../src/stellar/accounts/strkey.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import { noSoftHsm } from '../../support/softhsm/no-softhsm.ts'
import { type SoftHsmToken, startToken } from '../../support/softhsm/start-token.ts'
import { unit } from '../../support/stack.ts'
import { openWorld, type World } from '../payments/world.ts'

const missing = await noSoftHsm()
const network = 'stellar:testnet'

describe('a facilitator whose sponsor signs in a token', { timeout: 240_000 }, () => {
  let token: SoftHsmToken
  let world: World
  let sponsor: string
  const channelSecret = secretOfSeed(randomBytes(32))

  beforeAll(async () => {
    if (missing !== undefined) return
    token = await startToken()
    for (const [name, value] of Object.entries(token.environment)) vi.stubEnv(name, value)
    sponsor = addressOf(token.publicKey)
    world = await openWorld({
      timings: { monitorMs: 100 },
      network: async (localnet) => {
        await localnet.pay({ address: sponsor, asset: 'XLM', amount: 1_000n * unit })
        return {
          sponsorSecret: undefined,
          sponsorAddress: sponsor,
          sponsorSigner: token.place,
          channelSecret,
          channelCount: 2,
          // Longer than the restart of the library takes on a busy machine.
          signerTimeoutMs: 10_000,
        }
      },
    })
  }, 240_000)
  beforeEach(({ skip }) => {
    if (missing !== undefined) skip(missing)
  })
  afterAll(async () => {
    await world?.[Symbol.asyncDispose]()
    await token?.[Symbol.asyncDispose]()
    vi.unstubAllEnvs()
  })

  const served = () => world.stack.facilitator.networks.get(network)
  const health = () => served()?.signer?.health
  const balance = async () =>
    (await served()?.rpc.accounts([sponsor]))?.get(sponsor)?.balance ?? -1n
  const untilItWorks = () => expect.poll(health, { timeout: 60_000 }).toEqual({ state: 'works' })

  test('pays with the key of the token, through channels of the other secret', async () => {
    const { stack } = world
    await untilItWorks()
    const since = stack.localnet.network.latest.sequence
    const bodies = await Promise.all([1n, 2n, 3n, 4n].map((amount) => world.pay({ amount })))
    const answers = await Promise.all(bodies.map((body) => stack.post('/settle', body)))
    for (const { body } of answers) expect(body).toMatchObject({ success: true })
    const channels = [0, 1].map((index) => channelSigner(channelSecret, network, index).address)
    expect(served()?.channels.addresses).toEqual(channels)
    const settled = new Set(answers.map(({ body }) => body.transaction))
    const sent = transactionsAfter(stack.localnet.network, since).filter(({ hash }) =>
      settled.has(hash),
    )
    expect(sent).toHaveLength(4)
  })

  test('answers 503 without its token, holds no channel and pays nothing, and settles the same payment later', async () => {
    const { stack } = world
    await untilItWorks()
    const before = await balance()
    const body = await world.pay({ amount: 7n })
    await token.remove()
    const refused = await stack.post('/settle', body)
    expect(refused.status).toBe(503)
    expect(refused.headers.get('retry-after')).toBe('1')
    expect(refused.body).toMatchObject({ success: false, transaction: '' })
    expect(JSON.stringify(refused.body)).not.toContain(token.pin)
    expect((await stack.post('/verify', body)).status).toBe(503)
    expect(health()).toMatchObject({ state: 'fails', error: { problem: 'unreachable' } })
    const checks = (await stack.get('/ready')).body.checks
    expect(checks[`${network}:sponsor`]).toMatchObject({ ok: false })
    const rows = await stack.store.db
      .selectFrom('settlements')
      .select('state')
      .where('state', 'in', ['claimed', 'submitted'])
      .execute()
    expect(rows).toEqual([])
    expect(await balance()).toBe(before)
    await token.putBack()
    await untilItWorks()
    expect((await stack.post('/settle', body)).body).toMatchObject({ success: true })
    const again = await stack.post('/settle', body)
    expect(again.body).toMatchObject({ success: true })
  })

  test('uses no other key that takes the place of its own', async () => {
    const { stack } = world
    await untilItWorks()
    const before = await balance()
    const body = await world.pay({ amount: 8n })
    await token.deleteKeys()
    const other = addressOf(await token.generateKey())
    expect((await stack.post('/settle', body)).status).toBe(503)
    await expect
      .poll(health, { timeout: 60_000 })
      .toMatchObject({ error: { problem: 'no_key', message: expect.stringContaining(other) } })
    expect(await balance()).toBe(before)
  })
})
