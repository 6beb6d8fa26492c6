import { describe, expect, test } from 'vitest'
import { noKubeMetrics } from '../../../src/kube/metrics.ts'
import { WorkQueue } from '../../../src/kube/work-queue.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const newQueue = () => {
  const clock = new FakeClock()
  return { clock, queue: new WorkQueue({ name: 'test', clock, metrics: noKubeMetrics }) }
}

/** Takes all waiting keys, in order, and gives none back. */
async function drain(queue: WorkQueue): Promise<string[]> {
  const keys: string[] = []
  while (queue.size > 0) keys.push((await queue.take()) ?? '')
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
    queue.add('a')
    queue.add('b')

    expect(await taken).toEqual(['a', 'b'])
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
