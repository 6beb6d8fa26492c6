import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../../support/load.ts'
import { type OwnShop, openOwnShop } from '../../support/own-shop.ts'
import { names } from '../../support/world-places.ts'
import { changedSecret, podNames } from '../shop.ts'

const SECOND = 'second-sponsor'
/** Channels are created and merged, each pod is replaced once, and heartbeats of the old ones end. */
const patience = { timeout: 300_000, interval: 500 }
let world: OwnShop

beforeAll(async () => {
  world = await openOwnShop(inject('world'), 'rotation')
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('the pool names another Secret: no request fails while it moves to that sponsor by itself', async () => {
  const { address, secret } = await world.account(1)
  const funded = await fetch(`${world.rpcUrl}/faucet?addr=${address}&asset=XLM&amount=500`)
  expect(funded.status).toBe(200)
  await changedSecret(world, SECOND, { secret })
  const before = await podNames(world)

  const row = await underLoad(world, 'Sponsor rotated', async (load) => {
    await load.paid(5)
    const spec = { sponsor: { secretRef: { name: SECOND } } }
    await kubectl(
      'patch',
      `channelpool/${names.pool}`,
      '--type=merge',
      '-p',
      JSON.stringify({ spec }),
    )
    await vi.waitFor(
      async () => expect(await rotation()).toMatchObject({ phase: 'Done' }),
      patience,
    )
    await load.paid(5)
    return '`sponsor` names another Secret: channels of the new sponsor, 2 pods replaced, old channels merged, what was left sent to the new sponsor'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
  await world.ready()
  expect((await podNames(world)).filter((name) => before.includes(name))).toEqual([])
  const { status } = await pool()
  expect(status.sponsor).toMatchObject({ address, source: { secretRef: { name: SECOND } } })
  expect(status.rotation.from.address).toBe(world.sponsor.address)
  expect(Number(status.rotation.sweptXlm)).toBeGreaterThan(0)
  await vi.waitFor(async () => {
    const { signers } = Object(await (await fetch(`${world.facilitatorUrl}/supported`)).json())
    expect(signers['stellar:*']).toContain(address)
    expect(signers['stellar:*']).not.toContain(world.sponsor.address)
  }, patience)
  // Nothing holds the old Secret any more.
  await kubectl('delete', 'secret/testnet-sponsor', '--timeout=60s')
})

const kubectl = (...args: readonly string[]): Promise<string> =>
  world.cluster.kubectl(['-n', world.shop, ...args])

async function pool() {
  const path = `/apis/x402.svc.dev/v1beta1/namespaces/${world.shop}/channelpools/${names.pool}`
  return Object((await world.cluster.request('GET', path)).body)
}

const rotation = async () => (await pool()).status?.rotation
