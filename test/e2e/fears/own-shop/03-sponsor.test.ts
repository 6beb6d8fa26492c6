import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../../support/load.ts'
import { type OwnShop, openOwnShop } from '../../support/own-shop.ts'
import { names } from '../../support/world-places.ts'
import { changedSecret, patchFacilitator, podNames, replacingPods, until } from '../shop.ts'

const SECOND = 'second'
let world: OwnShop

beforeAll(async () => {
  world = await openOwnShop(inject('world'), 'sponsor')
})
afterAll(() => world?.[Symbol.asyncDispose]())

test('the Secret gets the seed of another sponsor: the pool refuses it, and the pods go on serving', async () => {
  const another = await world.account(1)

  const row = await underLoad(world, 'Another seed by mistake', async (load) => {
    const before = await podNames(world)
    await changedSecret(world, 'testnet-sponsor', { secret: another.secret })
    await until(async () => (await conditionsOfPool()).includes('SponsorChanged'))
    await load.paid(10)
    await changedSecret(world, 'testnet-sponsor', { secret: world.sponsor.secret })
    await until(async () => !(await conditionsOfPool()).includes('SponsorChanged'))
    await world.ready()
    expect(await podNames(world)).toEqual(before)
    return 'another seed in the Secret of a pool with channels: `SponsorChanged`, no pod replaced; then the first seed again'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

test('another sponsor: no request fails while the pods change to a second pool and back', async () => {
  const { address, secret } = await world.account(1)
  const funded = await fetch(`${world.rpcUrl}/faucet?addr=${address}&asset=XLM&amount=500`)
  expect(funded.status).toBe(200)
  await changedSecret(world, SECOND, { secret })
  const first = Object(await objectAt(`channelpools/${names.pool}`))
  await world.apply([
    {
      apiVersion: first.apiVersion,
      kind: first.kind,
      metadata: { name: SECOND, namespace: world.shop },
      spec: { ...first.spec, sponsor: { secretRef: { name: SECOND } } },
    },
  ])
  await kubectl('wait', `channelpool/${SECOND}`, '--for=condition=Ready', '--timeout=120s')

  const row = await underLoad(world, 'Another sponsor', async () => {
    for (const channelPool of [SECOND, names.pool]) {
      const change = { spec: { networks: [{ channelPool }] } }
      await replacingPods(world, () => patchFacilitator(world, change))
    }
    return 'to a second pool, whose sponsor is another, and back: each pod replaced twice'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

const kubectl = (...args: readonly string[]): Promise<string> =>
  world.cluster.kubectl(['-n', world.shop, ...args])

async function conditionsOfPool(): Promise<readonly string[]> {
  const { status } = Object(await objectAt(`channelpools/${names.pool}`))
  return status.conditions.map(({ reason }: { reason: string }) => reason)
}

async function objectAt(path: string): Promise<unknown> {
  const version = '/apis/x402.svc.dev/v1beta1'
  const { body } = await world.cluster.request('GET', `${version}/namespaces/${world.shop}/${path}`)
  return body
}
