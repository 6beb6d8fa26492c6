import { expect, it } from 'vitest'
import { heapAfter } from '../../../../tools/bench/http/heap.ts'

it('keeps nothing of a bad request: the heap is as large after 20,000 as after 8,000', async () => {
  const [early = 0, late = 0] = await heapAfter([8_000, 20_000])
  // A kilobyte kept of each would be twelve times as much.
  expect((late - early) / 1_000_000).toBeLessThan(1)
})
