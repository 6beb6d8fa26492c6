/** Counts the operator's requests to the API server for Facilitators: docs/operator.md has the table. */
import { expect, vi } from 'vitest'
import { facilitatorManifest, type Json } from '../../../../support/api/manifests.ts'
import { startApiProxy } from '../../../support/api-proxy.ts'
import type { JournalEntry } from '../../../support/proxy-handler.ts'
import { isReady, openPoolWorld } from '../channel-pool/pool-world.ts'
import { NAME, patience, type Rig, test, withKeys } from './rig.ts'

type Cost = Readonly<Record<string, number>>

/** Of two pods that are replaced; how many depends on how many of their events arrive at a time. */
const MAX_STATUS_WRITES = 12

/** Number of requests by kind, without the lease, the ends of watches, and discovery. */
function costOf(calls: readonly JournalEntry[]): Cost {
  const names = calls
    .filter(({ resource, verb }) => !['leases', ''].includes(resource) && verb !== 'watch')
    .map(({ verb, resource, subresource }) => [verb, resource, subresource].join(' ').trim())
  return Object.fromEntries(
    [...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]),
  )
}

/** Lets every event that is under way arrive, and what it leads to be done. */
async function calm({ proxy }: Rig): Promise<void> {
  let before = -1
  await vi.waitFor(
    () => {
      const isQuiet = proxy.calls.length === before
      before = proxy.calls.length
      expect(isQuiet).toBe(true)
    },
    { timeout: 120_000, interval: 700 },
  )
}

const isSettled = (rig: Rig) =>
  vi.waitFor(async () => {
    expect(await rig.condition('Ready')).toMatchObject({ status: 'True', reason: 'Serving' })
    expect(await rig.condition('Progressing')).toMatchObject({ status: 'False' })
  }, patience)

/** Of one change, without status writes and events: those depend on the pods' pace. */
async function expectCost(rig: Rig, change: () => Promise<unknown>, cost: Cost): Promise<void> {
  await calm(rig)
  rig.proxy.forget()
  await change()
  const isSpent = () => {
    const {
      'patch facilitators status': writes = 0,
      'create events': _,
      'patch events': __,
      ...own
    } = costOf(rig.proxy.calls)
    expect(own).toEqual(cost)
    expect(writes).toBeLessThanOrEqual(MAX_STATUS_WRITES)
  }
  await vi.waitFor(isSpent, patience)
  await calm(rig)
  isSpent()
}

const pausedAs = (paused: string | null, spec: Json) => ({
  metadata: { annotations: { 'x402.svc.dev/paused': paused } },
  spec,
})

test.concurrent('a change costs the requests that it needs, and nothing is asked without one', {
  timeout: 180_000,
}, async ({ rig }) => {
  const unlabelled = async (letter: string) => {
    const path = `/api/v1/namespaces/${rig.namespace}/secrets/keys?fieldManager=test&force=true`
    const stringData = { sha256: letter.repeat(64) }
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'keys' }, stringData }
    const contentType = 'application/apply-patch+yaml'
    expect((await rig.cluster.request('PATCH', path, { body, contentType })).status).toBeLessThan(
      300,
    )
  }
  await unlabelled('a')
  await rig.begin(withKeys)
  await isSettled(rig)

  const nothing = async () => rig.controller.enqueue(`${rig.namespace}/${NAME}`)
  await expectCost(rig, nothing, {})
  expect(rig.proxy.calls.filter(({ verb }) => verb !== 'watch')).toEqual([])

  const changeSpec = () => rig.change({ spec: { serviceFeePerSettlementUsd: '0.002' } })
  const rollout = { 'patch configmaps': 1, 'patch deployments': 1, 'delete configmaps': 1 }
  await expectCost(rig, changeSpec, rollout)

  const changeSeed = () => rig.secret('testnet-sponsor', { secret: `S${'B'.repeat(55)}` })
  const jobs = { 'patch jobs': 1, 'delete jobs': 1 }
  const policies = { 'patch networkpolicies': 1, 'delete networkpolicies': 1 }
  const preflight = { ...jobs, ...policies, 'patch deployments': 1 }
  await expectCost(rig, changeSeed, preflight)

  // API keys are read from the mounted file: no pod is replaced.
  await expectCost(rig, () => unlabelled('b'), { 'get secrets': 1 })

  await expectCost(rig, () => rig.change(pausedAs('true', { replicas: 4 })), {})

  const services = `/api/v1/namespaces/${rig.namespace}/services`
  const name = `${NAME}-facilitator`
  await rig.cluster.request('DELETE', `${services}/${name}`)
  const theirs = { metadata: { name }, spec: { ports: [{ port: 1 }] } }
  expect((await rig.cluster.request('POST', services, { body: theirs })).status).toBe(201)
  rig.proxy.forget()
  await rig.change(pausedAs(null, { replicas: 2 }))
  await vi.waitFor(async () => {
    expect(await rig.condition('Degraded')).toMatchObject({ reason: 'ChildNotOurs' })
  }, patience)
  await calm(rig)
  // It looks again every 30 s.
  const { 'patch services': attempts, 'list services': looks } = costOf(rig.proxy.calls)
  expect(attempts).toBeGreaterThan(0)
  expect(looks).toBe(attempts)
  expect(rig.writes().filter(({ resource }) => resource !== 'facilitators')).toHaveLength(
    attempts ?? 0,
  )
})

const FACILITATORS = 10

test.concurrent('an operator that starts lists each kind once and writes nothing', {
  timeout: 180_000,
}, async ({ fakeNodes: cluster }) => {
  await using world = await openPoolWorld(cluster)
  await using proxy = await startApiProxy(cluster.kubeconfigPath)
  const path = `/apis/x402.svc.dev/v1beta1/namespaces/${world.namespace}/facilitators`
  const environment = { FACILITATOR_IMAGE: 'svc:first', RESYNC_SECONDS: '300' }
  await using first = world.operate(environment)
  await world.apply({ channels: 1 })
  await world.until(isReady)
  for (let at = 0; at < FACILITATORS; at++) {
    const body = { ...facilitatorManifest({ replicas: 1 }, { name: `payments-${at}` }) }
    expect((await cluster.request('POST', path, { body })).status).toBe(201)
  }
  const areSettled = async () => {
    const { items = [] } = Object((await cluster.request('GET', path)).body)
    const settled = items.filter(({ status }: Json) =>
      Object(status).conditions?.some(
        ({ type, status: is }: Json) => type === 'Progressing' && is === 'False',
      ),
    )
    expect(settled).toHaveLength(FACILITATORS)
  }
  await vi.waitFor(areSettled, { timeout: 240_000, interval: 500 })
  first.kill('SIGTERM')
  expect(await first.exited).toBe(0)

  await using second = world.operate(environment, proxy.kubeconfigPath)
  const adminUrl = await second.adminUrl
  await vi.waitFor(async () => {
    const text = await (await fetch(`${adminUrl}/metrics`)).text()
    const settled = text
      .split('\n')
      .filter((line) =>
        /^svc_controller_reconcile_total{.*"facilitator".*"(settled|again)"/.test(line),
      )
      .map((line) => Number(line.split(' ').at(-1)))
    expect(settled.reduce((sum, each) => sum + each, 0)).toBeGreaterThanOrEqual(FACILITATORS)
  }, patience)
  // A long list has several pages.
  const firstPages = proxy.calls.filter(({ path }) => !path.includes('continue='))
  const { 'list secrets': secrets, 'get secrets': keys, ...others } = costOf(firstPages)
  // Those with the label, and the names of all others.
  expect(secrets).toBe(2)
  // The key for digests of Secrets.
  expect(keys).toBe(1)
  expect(Object.keys(others).filter((name) => !name.startsWith('list '))).toEqual([])
  expect(new Set(Object.values(others))).toEqual(new Set([1]))
})
