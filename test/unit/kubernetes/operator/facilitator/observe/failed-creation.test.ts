import { expect, test } from 'vitest'
import { labels } from '../../../../../../src/kubernetes/crd/names/marks.ts'
import { failedJobs } from '../../../../../../src/kubernetes/operator/facilitator/observe/failed-creation.ts'
import type { KubeClient } from '../../../../../../src/kubernetes/runtime/client/client.ts'
import type { KubeObject } from '../../../../../../src/kubernetes/runtime/objects/resource.ts'

const job = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  metadata: {
    name: 'migration',
    namespace: 'shop',
    uid: 'j',
    resourceVersion: '1',
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { [labels.component]: 'migration' },
  },
}
const event = (eventTime: string, note: string) => ({
  apiVersion: 'events.k8s.io/v1',
  kind: 'Event',
  metadata: { name: note, uid: note, resourceVersion: '1', annotations: { a: 'x'.repeat(1_000) } },
  eventTime,
  note,
})

test('the last event of a Job explains it, and no event is held', async () => {
  const events = [
    event('2026-01-01T00:00:01Z', 'first'),
    event('2026-01-01T00:00:03Z', `last${'x'.repeat(2_000)}`),
    event('2026-01-01T00:00:02Z', 'second'),
  ]
  const held: unknown[] = []
  const pages: unknown[] = []
  type Options = { transform?: (object: KubeObject) => KubeObject; pageSize?: number }
  const list = async (_: unknown, options: Options) => {
    pages.push(options.pageSize)
    const items = events.map((each) => options.transform?.(each) ?? each)
    held.push(...items)
    return { items, resourceVersion: '1' }
  }
  const client = { list } as unknown as Pick<KubeClient, 'list'>
  const now = Date.parse('2026-01-01T00:01:00Z')
  const [failing, ...others] = await failedJobs([job], now, client, new AbortController().signal)

  expect(others).toEqual([])
  expect(failing).toMatchObject({ name: 'migration', reason: 'FailedCreate' })
  expect(failing?.message).toMatch(/^lastx{508}$/)
  expect(JSON.stringify(held)).not.toContain('xx')
  expect(pages).toEqual([500])
})

test('of many Jobs without pods the newest of each component is asked about', async () => {
  const many = Array.from({ length: 100 }, (_, at) => ({
    ...job,
    metadata: {
      ...job.metadata,
      uid: `j${at}`,
      creationTimestamp: new Date(at * 1_000).toISOString(),
      labels: { [labels.component]: ['migration', 'preflight', 'another'][at % 3] ?? '' },
    },
  }))
  const leaving = { ...job.metadata, uid: 'leaving', deletionTimestamp: '2026-01-01T00:00:30Z' }
  const asked: (string | undefined)[] = []
  let underWay = 0
  let most = 0
  const list = async (_: unknown, { fieldSelector }: { fieldSelector?: string }) => {
    asked.push(fieldSelector)
    underWay += 1
    most = Math.max(most, underWay)
    await Promise.resolve()
    underWay -= 1
    return { items: [], resourceVersion: '1' }
  }
  const client = { list } as unknown as Pick<KubeClient, 'list'>
  const now = Date.parse('2026-01-01T00:01:00Z')
  const owned = [...many, { ...job, metadata: leaving }]
  await failedJobs(owned, now, client, new AbortController().signal)

  expect(asked).toEqual([
    'regarding.uid=j99,reason=FailedCreate',
    'regarding.uid=j97,reason=FailedCreate',
  ])
  expect(most).toBe(1)
})

test('a Job without pods is not asked about once a newer one of its component has some', async () => {
  const metadata = { ...job.metadata, uid: 'newer', creationTimestamp: '2026-01-01T00:00:05Z' }
  const list = async () => expect.unreachable()
  const client = { list } as unknown as Pick<KubeClient, 'list'>
  const now = Date.parse('2026-01-01T00:01:00Z')
  const owned = [{ ...job, metadata, status: { active: 1 } }, job]
  expect(await failedJobs(owned, now, client, new AbortController().signal)).toEqual([])
})
