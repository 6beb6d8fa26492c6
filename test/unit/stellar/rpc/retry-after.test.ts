import { describe, expect, test } from 'vitest'
import { busy, poolOf } from './fake-pool.ts'

describe('a Retry-After in answer to a simulation', () => {
  test('delays no send and no look-up', async () => {
    const { pool, a } = poolOf(1)
    await pool.identify()
    a.failures.set('simulate', [busy(60_000)])
    await expect(pool.simulate('x')).rejects.toThrow('429')
    expect(await pool.send('x')).toMatchObject({ status: 'PENDING' })
    expect(await pool.transaction('x')).toMatchObject({ status: 'NOT_FOUND' })
    expect(await pool.latestLedger()).toMatchObject({ sequence: 100 })
    await expect(pool.simulate('x')).rejects.toThrow('Retry-After')
    expect(a.work).toEqual(['simulate', 'send', 'transaction', 'tip'])
  })

  test('ends for simulations although sends were answered in between', async () => {
    const { pool, a, clock } = poolOf(1)
    await pool.identify()
    a.failures.set('simulate', [busy(60_000)])
    await expect(pool.simulate('x')).rejects.toThrow('429')
    await clock.advance(45_000)
    await pool.send('x')
    await expect(pool.simulate('x')).rejects.toThrow('Retry-After')
    await clock.advance(15_000)
    expect(await pool.simulate('x')).toMatchObject({ kind: 'ok' })
  })
})

describe('a Retry-After in answer to a send', () => {
  test('lets one send or look-up through each second, and no simulation', async () => {
    const { pool, a, clock } = poolOf(1)
    await pool.identify()
    a.failures.set('send', Array(100).fill(busy(60_000)))
    const first = Promise.allSettled([pool.send('x')])
    await clock.advance(0)
    const sends = Promise.allSettled(Array.from({ length: 20 }, () => pool.send('x')))
    const lookUp = Promise.allSettled([pool.transaction('x')])
    await expect(pool.simulate('x')).rejects.toThrow('Retry-After')
    await clock.advance(10_000)
    await Promise.all([first, sends, lookUp])
    expect(a.work.length).toBeLessThanOrEqual(10)
    expect(a.work).not.toContain('simulate')
  })

  test('is over once one of them was answered', async () => {
    const { pool, a, clock } = poolOf(1)
    await pool.identify()
    a.failures.set('send', [busy(60_000)])
    const send = pool.send('x')
    await clock.advance(1_000)
    expect(await send).toMatchObject({ status: 'PENDING' })
    expect(await Promise.all([pool.send('y'), pool.send('z')])).toHaveLength(2)
  })
})
