/** Counts the operator's requests to the API server for ChannelPools: these tests assert on calls. */
import { describe, expect, vi } from 'vitest'
import { runtimeMetricTable } from '../../../../../src/kubernetes/operator/metrics/metric-table.ts'
import { knownMetrics } from '../../../../../src/kubernetes/runtime/metrics/known-metrics.ts'
import {
  alertsOf,
  expectAlertSeries,
  ofOperator,
  samplesOf,
} from '../../../../support/alert-series.ts'
import { expectNamedMetrics } from '../../../../support/named-metrics.ts'
import { type ApiProxy, startApiProxy } from '../../../support/api-proxy.ts'
import type { Cluster } from '../../../support/cluster.ts'
import { test } from '../../../support/cluster-test.ts'
import { isReady, openPoolWorld } from './pool-world.ts'

/** Five operators start at once: on a busy machine that takes half a minute. */
const patience = { timeout: 75_000, interval: 50 }
const environment = { RESYNC_SECONDS: '1' }

/** Number of requests by kind, without the lease and the ends of watches. */
const costOf = ({ calls }: ApiProxy): Readonly<Record<string, number>> => {
  const names = calls
    .filter(({ resource, verb }) => resource !== 'leases' && verb !== 'watch')
    .map(({ verb, resource, subresource }) => [verb, resource, subresource].join(' ').trim())
  return Object.fromEntries(
    [...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]),
  )
}

/** Reconciles of pools that ended with nothing left to do. */
async function settledOf(adminUrl: string): Promise<number> {
  const text = await (await fetch(`${adminUrl}/metrics`)).text()
  const line = text
    .split('\n')
    .filter((each) => each.startsWith('svc_controller_reconcile_total{'))
    .find((each) => each.includes('"channelpool"') && each.includes('"settled"'))
  return Number(line?.split(' ').at(-1) ?? 0)
}

async function untilSettled(adminUrl: string, more: number): Promise<void> {
  const before = await settledOf(adminUrl)
  const enough = async () => expect(await settledOf(adminUrl)).toBeGreaterThanOrEqual(before + more)
  await vi.waitFor(enough, patience)
}

/** Kinds are listed one after the other; each is watched once it is listed. */
const untilWatching = ({ calls }: ApiProxy): Promise<void> =>
  vi.waitFor(() => {
    const of = (wanted: string) => calls.filter(({ verb }) => verb === wanted)
    expect(new Set(of('watch').map(({ resource }) => resource)).size).toBeGreaterThan(12)
    expect(of('watch').length).toBeGreaterThanOrEqual(of('list').length)
  }, patience)

test.concurrent('writes once for each change of a pool, and nothing without a change', {
  timeout: 240_000,
}, async ({ cluster }) => {
  await using world = await openPoolWorld(cluster)
  await using proxy = await startApiProxy(cluster.kubeconfigPath)
  await using operator = world.operate(environment, proxy.kubeconfigPath)
  const adminUrl = await operator.adminUrl
  await vi.waitFor(
    () => expect(operator.lines.some(({ msg }) => msg === 'Leading')).toBe(true),
    patience,
  )
  await untilWatching(proxy)
  /** From the change until nothing happens any more; events are written in the background. */
  const expectCost = async (
    change: () => Promise<void>,
    cost: Readonly<Record<string, number>>,
  ) => {
    proxy.forget()
    await change()
    await untilSettled(adminUrl, 2)
    await vi.waitFor(() => expect(costOf(proxy)).toEqual(cost), patience)
  }

  const create = async () => {
    await world.apply({ channels: 2 })
    await world.until(isReady)
  }
  await expectCost(create, {
    'patch channelpools status': 2,
    'create events': 2,
  })

  await expectCost(() => untilSettled(adminUrl, 3), {})

  const changeSpec = async () => {
    await world.patch({ spec: { minSponsorBalanceXlm: '7' } })
    await world.until(isReady)
  }
  await expectCost(changeSpec, { 'patch channelpools status': 1 })

  const grow = async () => {
    await world.patch({ spec: { channels: 4 } })
    await world.until(isReady)
  }
  await expectCost(grow, { 'patch channelpools status': 2, 'create events': 2 })

  await expectCost(() => world.patch({ metadata: { labels: { of: 'others' } } }), {})

  await world.apply({ channels: 0 }, 'held')
  // The finalizer of another controller keeps an object that is being deleted.
  await world.patch({ metadata: { finalizers: ['example.com/held'] } }, 'held')
  await world.delete('held')
  await vi.waitFor(async () => {
    const exposition = await (await fetch(`${adminUrl}/metrics`)).text()
    expectNamedMetrics('operator', exposition)
    expectAlertSeries(samplesOf(exposition, ofOperator), alertsOf.operator, ['facilitator'])
    // An alert on the depth of a queue or on hanging work can fire only when a running operator has their samples.
    const withoutSample = Object.entries(knownMetrics).flatMap(([metric, { name }]) => {
      const own = runtimeMetricTable[metric as keyof typeof knownMetrics].name
      return [own, name].filter(
        (each) => !new RegExp(`^${each}(_count)?{.*} \\S+$`, 'm').test(exposition),
      )
    })
    expect(withoutSample).toEqual([])
  }, patience)
  await world.patch({ metadata: { finalizers: [] } }, 'held')
  await world.until((pool) => expect(pool).toBeUndefined(), 'held')

  proxy.forget()
  await world.delete()
  await world.until((pool) => expect(pool).toBeUndefined())
  expect(costOf(proxy)).toEqual({})
})

/** A pool whose Secrets have no label, and the requests for them. */
async function plainSecrets(cluster: Cluster) {
  const world = await openPoolWorld(cluster)
  const path = `/api/v1/namespaces/${world.namespace}/secrets`
  const write = async (name: string, stringData: Readonly<Record<string, string>>) => {
    const body = { apiVersion: 'v1', kind: 'Secret', metadata: { name }, stringData }
    const target = `${path}/${name}?fieldManager=test&force=true`
    const contentType = 'application/apply-patch+yaml'
    const { status, text } = await cluster.request('PATCH', target, { body, contentType })
    expect(status, text).toBeLessThan(300)
  }
  await write('plain-sponsor', { secret: world.sponsor.secret })
  await write('plain-database', { url: world.databaseUrl })
  const apply = () =>
    world.apply({
      channels: 1,
      sponsor: { secretRef: { name: 'plain-sponsor' } },
      database: { secretRef: { name: 'plain-database' } },
    })
  const readsIn = ({ calls }: ApiProxy) =>
    calls.filter(({ verb, resource }) => verb === 'get' && resource === 'secrets')
  return { world, write, apply, readsIn, [Symbol.asyncDispose]: () => world[Symbol.asyncDispose]() }
}

describe.concurrent('the requests of an operator', { timeout: 180_000 }, () => {
  test('reads a Secret without the label once, until it changes, and reacts to the change', async ({
    cluster,
  }) => {
    await using plain = await plainSecrets(cluster)
    const { world, write, apply, readsIn } = plain
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    await using operator = world.operate(environment, proxy.kubeconfigPath)
    await apply()
    await world.until(isReady, undefined, patience)
    await untilSettled(await operator.adminUrl, 3)
    const names = () => readsIn(proxy).map(({ name }) => name)
    expect(names().toSorted()).toEqual(['plain-database', 'plain-sponsor'])

    await write('plain-sponsor', { secret: 'no seed' })
    await world.until((pool) => {
      const ready = pool?.status?.conditions?.find(({ type }) => type === 'Ready')
      expect(ready?.reason).toBe('SponsorSecretInvalid')
    })
    expect(names().length).toBe(3)
    // Of other Secrets it never asks for more than their metadata.
    const lists = proxy.calls.filter(
      ({ verb, resource }) => verb === 'list' && resource === 'secrets',
    )
    expect(lists).toHaveLength(2)
  })

  test('works without the right to list Secrets, and says so once', async ({ cluster }) => {
    await using plain = await plainSecrets(cluster)
    const { world, apply, readsIn } = plain
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    const denied = { kind: 'status', status: 403 } as const
    proxy.fail(denied, { verbs: ['list', 'watch'], resources: ['secrets'] })
    await using operator = world.operate(environment, proxy.kubeconfigPath)
    await apply()
    await world.until(isReady, undefined, patience)
    await untilSettled(await operator.adminUrl, 3)
    expect(readsIn(proxy)).toHaveLength(2)
    const warnings = operator.lines.filter(({ msg }) => String(msg).includes('refuses to list'))
    // The labelled Secrets, and all others.
    expect(warnings.map(({ kind }) => kind)).toEqual(['Secret', 'Secret'])
  })

  test('asks for no list of Secrets when it shall not watch them', async ({ cluster }) => {
    await using plain = await plainSecrets(cluster)
    const { world, apply, readsIn } = plain
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    const blind = { ...environment, SECRETS_WATCH: 'false' }
    await using operator = world.operate(blind, proxy.kubeconfigPath)
    await apply()
    await world.until(isReady, undefined, patience)
    await untilSettled(await operator.adminUrl, 3)
    expect(readsIn(proxy)).toHaveLength(2)
    const watched = proxy.calls.filter(
      ({ verb, resource }) => verb !== 'get' && resource === 'secrets',
    )
    expect(watched).toEqual([])
  })

  test('only renews its lease when nothing changes', async ({ cluster }) => {
    await using world = await openPoolWorld(cluster)
    await using proxy = await startApiProxy(cluster.kubeconfigPath)
    await using operator = world.operate(environment, proxy.kubeconfigPath)
    await vi.waitFor(
      () => expect(operator.lines.some(({ msg }) => msg === 'Leading')).toBe(true),
      patience,
    )
    const renewals = () => proxy.calls.filter(({ resource }) => resource === 'leases')
    await vi.waitFor(() => expect(renewals().length).toBeGreaterThan(3), patience)
    proxy.forget()
    await vi.waitFor(() => expect(renewals().length).toBeGreaterThan(5), patience)
    expect(new Set(renewals().map(({ verb }) => verb))).toEqual(new Set(['patch']))
    expect(proxy.calls.filter(({ resource }) => resource !== 'leases')).toEqual([])
  })
})
