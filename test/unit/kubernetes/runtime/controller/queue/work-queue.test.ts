import { describe, expect, test } from 'vitest'
import { WorkQueue } from '../../../../../../src/kubernetes/runtime/controller/queue/work-queue.ts'
import { noKubeMetrics } from '../../../../../../src/kubernetes/runtime/metrics/metrics.ts'
import { FakeClock } from '../../../../../support/fake-clock.ts'

const newQueue = () => {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ name: 'test', clock, metrics: noKubeMetrics }) }
}

/** Takes all waiting keys, in order, one after the other. */
async function drain(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = []
  while (queue.size > 0) {
    const key = (await queue.take()) ?? ''
    keys.push(key)
    queue.done(key)
  }
  return keys
}

describe('the work queue', () => {
  test('gives keys in the order they were added, each once', async () => {
    const { queue } = newQueue()
    for (const key of ['a', 'b', 'a', 'c', 'b']) queue.add(key)

    expect(await drain(queue)).toEqual(['a', 'b', 'c'])
  })

  test('gives a key added again to a worker only after the first one is done', async () => {
    const { queue } = newQueue()
    queue.add('a')
    expect(await queue.take()).toBe('a')
    queue.add('a')
    queue.add('a')

    expect(queue.size).toBe(0)
    queue.done('a')
    expect(await drain(queue)).toEqual(['a'])
  })

  test('serves low priority last, and raises a key that is added again with normal priority', async () => {
    const { queue } = newQueue()
    for (const key of ['low-1', 'low-2', 'low-3']) queue.add(key, 'low')
    queue.add('edit')
    queue.add('low-3')

    expect(await drain(queue)).toEqual(['edit', 'low-3', 'low-1', 'low-2'])
  })

  test('keeps the earliest of several delays', async () => {
    const { queue, clock } = newQueue()
    queue.addAfter('a', 5_000)
    queue.addAfter('a', 1_000)
    queue.addAfter('b', 3_000)
    queue.addAfter('a', 9_000)

    await clock.advance(999)
    expect(queue.size).toBe(0)
    await clock.advance(1)
    expect(await drain(queue)).toEqual(['a'])
    queue.done('a')
    await clock.advance(20_000)
    expect(await drain(queue)).toEqual(['b'])
  })

  test('gives keys to the workers in the order of their calls', async () => {
    const { queue } = newQueue()
    const taken = Promise.all([queue.take(), queue.take()])
    queue.add('one/a')
    queue.add('other/b')

    expect(await taken).toEqual(['one/a', 'other/b'])
  })

  test('gives undefined to waiting workers when it closes', async () => {
    const { queue, clock } = newQueue()
    const waiting = queue.take()
    queue.addAfter('later', 1_000)
    queue.close()
    queue.add('a')
    await clock.advance(2_000)

    expect(await waiting).toBeUndefined()
    expect(await queue.take()).toBeUndefined()
    expect(queue.size).toBe(0)
  })

  test('forgets the delay of a key', async () => {
    const { queue, clock } = newQueue()
    queue.addAfter('a', 1_000)
    queue.forget('a')
    await clock.advance(2_000)

    expect(queue.size).toBe(0)
  })

  test('gives 20,000 delayed keys in the order of their times', async () => {
    const { queue, clock } = newQueue()
    const delays = Array.from({ length: 20_000 }, (_, index) => ((index * 7_919) % 20_000) + 1)
    for (const ms of delays) queue.addAfter(String(ms), ms)
    const taken: number[] = []
    for (const _ of Array.from({ length: 4 })) {
      await clock.advance(5_000)
      taken.push(...(await drain(queue)).map(Number))
    }

    expect(taken).toHaveLength(20_000)
    expect(taken).toEqual(taken.toSorted((a, b) => a - b))
  })
})

describe('the work queue, between namespaces', () => {
  /** Workers that hold each key until `done`, as passes do that wait for a slow endpoint. */
  function workers(queue: WorkQueue, count: number) {
    const held: string[] = []
    const work = () => void queue.take().then((key) => key !== undefined && held.push(key))
    for (let index = 0; index < count; index++) work()
    return {
      /** By namespace. */
      async held() {
        await new Promise(setImmediate)
        const counts: Record<string, number> = {}
        for (const key of held) {
          const [namespace = ''] = key.split('/')
          counts[namespace] = (counts[namespace] ?? 0) + 1
        }
        return counts
      },
      done(namespace: string) {
        const at = held.findIndex((key) => key.startsWith(`${namespace}/`))
        const [key = ''] = held.splice(at, 1)
        queue.done(key)
        work()
      },
    }
  }
  const fill = (queue: WorkQueue, namespace: string, count = 100) => {
    for (let index = 0; index < count; index++) queue.add(`${namespace}/${index}`)
  }

  test.each([
    { count: 16, most: 8 },
    { count: 4, most: 2 },
    { count: 2, most: 1 },
    { count: 1, most: 1 },
  ])('gives one namespace at most $most of $count workers', async ({ count, most }) => {
    const { queue } = newQueue()
    const { held } = workers(queue, count)
    fill(queue, 'hostile')
    expect(await held()).toEqual({ hostile: most })
  })

  test('serves a newcomer at once while others hold all they may', async () => {
    const { queue } = newQueue()
    const { held } = workers(queue, 16)
    for (const hostile of ['one', 'two', 'three']) fill(queue, hostile)
    queue.add('newcomer/pool', 'low')
    expect(await held()).toMatchObject({ newcomer: 1 })
  })

  test('shares the workers out evenly as they come back', async () => {
    const { queue } = newQueue()
    const { held, done } = workers(queue, 16)
    fill(queue, 'one', 1_000)
    await held()
    fill(queue, 'two', 1_000)
    expect(await held()).toEqual({ one: 8, two: 4 })
    for (let pass = 0; pass < 8; pass++) {
      done('one')
      await held()
    }
    expect(await held()).toEqual({ one: 5, two: 5 })
  })

  test('gives a freed worker to the namespace that has none, before the hundreds of keys of others', async () => {
    const { queue } = newQueue()
    const { held, done } = workers(queue, 2)
    for (const hostile of ['one', 'two']) fill(queue, hostile)
    expect(await held()).toEqual({ one: 1, two: 1 })
    queue.add('newcomer/pool', 'low')
    done('one')
    expect(await held()).toEqual({ newcomer: 1, two: 1 })
    done('two')
    expect(await held()).toEqual({ newcomer: 1, one: 1 })
  })

  test('serves 20,000 keys of 5,000 namespaces, each namespace in its turn', async () => {
    const { queue } = newQueue()
    for (let index = 0; index < 20_000; index++) queue.add(`${index % 5_000}/${index}`)
    const taken = await drain(queue)
    expect(taken).toEqual(Array.from({ length: 20_000 }, (_, index) => `${index % 5_000}/${index}`))
  })
})
