import { describe, expect, test } from 'vitest'
import { ChannelQueue } from '../../../src/facilitator/channel-queue.ts'
import { FakeClock } from '../../support/fake-clock.ts'

const never = new AbortController().signal

function pool(free: string[]) {
  const tried: string[] = []
  const lease = (who: string) => async () => {
    tried.push(who)
    return free.shift()
  }
  return { free, tried, lease }
}

describe('ChannelQueue', () => {
  test('gives a free channel at once', async () => {
    const { lease } = pool(['one'])
    const queue = new ChannelQueue(new FakeClock())
    expect(await queue.wait(lease('a'), 5_000, never)).toBe('one')
  })

  test('wakes the first in line when a channel is freed here, and keeps the order', async () => {
    const clock = new FakeClock()
    const queue = new ChannelQueue(clock)
    const { free, tried, lease } = pool([])
    const served: string[] = []
    const waiting = ['a', 'b'].map(async (who) => {
      served.push(`${who}:${await queue.wait(lease(who), 5_000, never)}`)
    })
    await clock.advance(0)
    expect(tried).toEqual(['a'])

    free.push('one', 'two')
    queue.freed()
    await Promise.all(waiting)
    expect(served).toEqual(['a:one', 'b:two'])
  })

  test('retries regularly, since a notification may be lost', async () => {
    const clock = new FakeClock()
    const queue = new ChannelQueue(clock)
    const { free, lease } = pool([])
    const waiting = queue.wait(lease('a'), 5_000, never)
    await clock.advance(100)
    free.push('one')
    await clock.advance(1_000)
    expect(await waiting).toBe('one')
  })

  test('ends its wait in time, and does not delay the next in line', async () => {
    const clock = new FakeClock()
    const queue = new ChannelQueue(clock)
    const { lease } = pool([])
    const waiting = [queue.wait(lease('a'), 1_000, never), queue.wait(lease('b'), 1_000, never)]
    await clock.advance(1_000)
    expect(await Promise.all(waiting)).toEqual([undefined, undefined])
  })

  test('leaves the line when the signal aborts', async () => {
    const clock = new FakeClock()
    const queue = new ChannelQueue(clock)
    const stop = new AbortController()
    const waiting = queue.wait(pool([]).lease('a'), 5_000, stop.signal)
    await clock.advance(10)
    stop.abort(new Error('stopping'))
    await expect(waiting).rejects.toThrow('stopping')
    expect(clock.sleeping).toBe(0)
  })
})
