import { expect, test } from 'vitest'
import { createCaches } from '../../../../../src/kubernetes/operator/watches/caches.ts'
import type { KubeClient } from '../../../../../src/kubernetes/runtime/client/client.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { half, silentLogger } from '../../runtime/support/silence.ts'

/** The defaults of the client. */
const BURST = 100
const PER_SECOND = 50
/** How soon a new leader has to know 1,000 Facilitators, which have twelve objects each. */
const SECONDS = 2
const OBJECTS = 12_000

test('the caches of 1,000 Facilitators are filled with as many requests as the rate limit lets pass in two seconds', async () => {
  const pageSizes: (number | undefined)[] = []
  const stop = new AbortController()
  const client = {
    list: async (_type: unknown, { pageSize }: { pageSize?: number }) => {
      pageSizes.push(pageSize)
      return { items: [], resourceVersion: '1' }
    },
    watch: (): Promise<never> =>
      new Promise((_, reject) => stop.signal.addEventListener('abort', () => reject(stop.signal))),
  } as unknown as KubeClient
  const kinds = {
    serves: () => false,
    answered: Promise.resolve(),
    onChange: () => undefined,
    run: async () => undefined,
  }
  const clock = new FakeClock()
  const caches = createCaches({ client, clock, random: half, logger: silentLogger }, kinds)
  const { pools, facilitators, pods, secrets } = caches
  const lists = [pools, facilitators, pods, ...secrets.informers]
  const running = lists.map((informer) => informer.run(stop.signal))
  await Promise.all(lists.map(({ answered }) => answered))
  stop.abort()
  await Promise.all(running)

  expect(pageSizes).toHaveLength(lists.length)
  const smallest = Math.min(...pageSizes.map((each) => each ?? 0))
  expect(OBJECTS / smallest).toBeLessThan(BURST + SECONDS * PER_SECOND)
})
