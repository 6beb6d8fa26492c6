import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest'
import { expectNoFailedRequest, expectNothingLost, underLoad } from '../support/load.ts'
import { openWorld, type World } from '../support/world.ts'
import { names, places } from '../support/world-places.ts'
import { type Pod, podNames, podsOf, signalPod } from './shop.ts'

/** Payments of a minute at three a second: twice as long as the Lease of the operator is valid. */
const PAYMENTS_OF_A_MINUTE = 180
const WAIT = { timeout: 240_000, interval: 250 }

/** Enough for a busy machine, where a settlement takes longer than a ledger. */
const CHANNELS = 16

let world: World

beforeAll(async () => {
  world = await openWorld(inject('world'))
  await kubectl(places.shop, `scale channelpool/${names.pool} --replicas=${CHANNELS}`)
  await world.ready()
})
afterAll(async () => {
  await kubectl(places.operator, `scale deployment/${names.release} --replicas=2`)
  await kubectl(places.shop, `scale facilitator/${names.facilitator} --replicas=2`)
  await kubectl(places.shop, `scale channelpool/${names.pool} --replicas=8`)
  await world.ready()
})

test('the operator is gone for a minute: payments go on, and changes made meanwhile take effect', async () => {
  const row = await underLoad(world, 'Operator gone for a minute', async (load) => {
    await kubectl(places.operator, `scale deployment/${names.release} --replicas=0`)
    await kubectl(places.operator, 'wait --for=delete pod --all --timeout=90s')
    await kubectl(places.shop, `scale facilitator/${names.facilitator} --replicas=3`)
    await kubectl(places.shop, `scale channelpool/${names.pool} --replicas=${CHANNELS + 1}`)
    await load.paid(PAYMENTS_OF_A_MINUTE)
    expect(await sizes()).toEqual({ pods: 2, channels: CHANNELS })

    await kubectl(places.operator, `scale deployment/${names.release} --replicas=2`)
    await vi.waitUntil(async () => (await sizes()).pods === 3, WAIT)
    await world.ready()
    expect(await sizes()).toEqual({ pods: 3, channels: CHANNELS + 1 })
    return 'both pods of the operator gone while 180 payments were made; the Facilitator and its pool grow afterwards'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
})

test('the operator is killed in the middle of a rolling update: the other one ends it', async () => {
  const before = await podNames(world)

  const row = await underLoad(world, 'Operator killed while it replaces pods', async () => {
    const { epoch, pod } = await leader()
    await kubectl(
      places.shop,
      `annotate --overwrite facilitator/${names.facilitator} x402.svc.dev/restartedAt=${Date.now()}`,
    )
    await vi.waitUntil(async () => {
      const pods = await podNames(world)
      return pods.some((name) => !before.includes(name))
    }, WAIT)
    await signalPod(await operatorPod(pod), 'SIGKILL')
    await vi.waitUntil(async () => (await leader()).epoch > epoch, WAIT)
    await world.ready()
    return 'SIGKILL to the leading operator after it has replaced the first pod'
  })

  expectNothingLost(row)
  expectNoFailedRequest(row)
  const after = await podNames(world)
  expect(after.filter((name) => before.includes(name))).toEqual([])
})

const kubectl = (namespace: string, command: string): Promise<string> =>
  world.cluster.kubectl(['-n', namespace, ...command.split(' ')])

async function sizes(): Promise<{ readonly pods: number; readonly channels: number }> {
  const [deployment, pool] = await Promise.all([
    objectAt(`apis/apps/v1/namespaces/${places.shop}/deployments/${names.facilitator}-facilitator`),
    objectAt(`apis/x402.svc.dev/v1beta1/namespaces/${places.shop}/channelpools/${names.pool}`),
  ])
  return {
    pods: Number(deployment.status['readyReplicas']),
    channels: Number(Object(pool.status['channels']).ready),
  }
}

/** The pod that leads, and how often the Lease has changed its holder. */
async function leader(): Promise<{ readonly pod: string; readonly epoch: number }> {
  const leases = `apis/coordination.k8s.io/v1/namespaces/${places.operator}/leases`
  const { holderIdentity, leaseTransitions } = (await objectAt(`${leases}/${names.release}`)).spec
  return { pod: String(holderIdentity).split('_')[0] ?? '', epoch: Number(leaseTransitions) }
}

type Members = Readonly<Record<string, unknown>>

async function objectAt(
  path: string,
): Promise<{ readonly spec: Members; readonly status: Members }> {
  const { body } = await world.cluster.request('GET', `/${path}`)
  return { spec: Object(body['spec']), status: Object(body['status']) }
}

async function operatorPod(name: string): Promise<Pod> {
  const pods = await podsOf(world, places.operator, `app.kubernetes.io/instance=${names.release}`)
  const found = pods.find(({ metadata }) => metadata.name === name)
  if (found === undefined) throw new Error(`${places.operator} has no pod ${name}`)
  return found
}
