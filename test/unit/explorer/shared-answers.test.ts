import { describe, expect, it } from 'vitest'
import { SharedAnswers } from '../../../src/explorer/shared-answers.ts'

/** Answers with how often it was asked, once `release` is called. */
class SlowRead {
  count = 0
  release: () => void = () => {}

  read = async (): Promise<number> => {
    this.count += 1
    const count = this.count
    await new Promise<void>((resolve) => {
      this.release = resolve
    })
    return count
  }
}

describe('SharedAnswers', () => {
  const clock = { time: 0, monotonic: () => clock.time }

  it('reads once for all who ask meanwhile, and for those who ask soon after', async () => {
    const shared = new SharedAnswers(clock, 10)
    const slow = new SlowRead()
    const both = [1, 2].map(() => shared.get('a', 5_000, slow.read))
    slow.release()
    expect(await Promise.all(both)).toEqual([1, 1])
    clock.time += 4_999
    expect(await shared.get('a', 5_000, slow.read)).toBe(1)
    clock.time += 1
    const later = shared.get('a', 5_000, slow.read)
    slow.release()
    expect(await later).toBe(2)
  })

  it('reads each key for itself', async () => {
    const shared = new SharedAnswers(clock, 10)
    expect(await shared.get('a', 5_000, async () => 'a')).toBe('a')
    expect(await shared.get('b', 5_000, async () => 'b')).toBe('b')
  })

  it('forgets a failure', async () => {
    const shared = new SharedAnswers(clock, 10)
    const failing = shared.get('a', 5_000, () => Promise.reject(new Error('gone')))
    await expect(failing).rejects.toThrow('gone')
    expect(await shared.get('a', 5_000, async () => 'again')).toBe('again')
  })
})
