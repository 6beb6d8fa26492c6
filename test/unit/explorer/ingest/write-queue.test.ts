import { describe, expect, it } from 'vitest'
import { WriteQueue } from '../../../../src/explorer/ingest/write-queue.ts'

describe('WriteQueue', () => {
  it('runs one write at a time, and those of the tail before those that waited longer', async () => {
    const queue = new WriteQueue()
    const order: string[] = []
    const first = Promise.withResolvers<void>()
    const write = (name: string) => async () => {
      order.push(name)
      if (name === 'first') await first.promise
    }
    const all = [
      queue.run('backfill', write('first')),
      queue.run('upkeep', write('upkeep')),
      queue.run('backfill', write('backfill')),
      queue.run('tail', write('tail')),
    ]
    expect(order).toEqual(['first'])
    first.resolve()
    await Promise.all(all)
    expect(order).toEqual(['first', 'tail', 'backfill', 'upkeep'])
  })

  it('goes on after a write that failed', async () => {
    const queue = new WriteQueue()
    const failed = queue.run('tail', () => Promise.reject(new Error('no')))
    const next = queue.run('tail', async () => 'done')
    await expect(failed).rejects.toThrow('no')
    expect(await next).toBe('done')
  })
})
