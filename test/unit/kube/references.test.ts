import { describe, expect, test } from 'vitest'
import { KubeError } from '../../../src/kube/kube-error.ts'
import { createReferences } from '../../../src/kube/references.ts'
import type { KubeObject, ObjectName } from '../../../src/kube/resource.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { type Thing, thing, things } from './support/objects.ts'
import { half, silentLogger } from './support/silence.ts'

const named = (name: string): ObjectName => ({ namespace: 'ns', name })

function newReferences() {
  const clock = new FakeClock()
  const server = new Map<string, Thing>()
  const reads: string[] = []
  let down = false
  const client = {
    get: async <T extends KubeObject>(_: unknown, { name }: ObjectName): Promise<T> => {
      reads.push(name)
      if (down) throw new KubeError({ kind: 'transport', message: 'down' })
      const object = server.get(name)
      if (!object) throw new KubeError({ kind: 'notFound', message: name })
      return object as KubeObject as T
    },
  }
  const references = createReferences({
    client,
    type: things,
    clock,
    random: half,
    logger: silentLogger,
  })
  const told: string[][] = []
  references.onChange((holders) => told.push([...holders]))
  const stop = new AbortController()
  const running = references.run(stop.signal)
  const fail = (is: boolean) => {
    down = is
  }
  const end = async () => {
    stop.abort()
    await running
  }
  return { references, clock, server, reads, told, fail, end }
}

describe('references', () => {
  test('are read once, however often and by however many they are held', async () => {
    const { references, server, reads, end } = newReferences()
    server.set('a', thing('a'))
    await references.hold('ns/one', [named('a'), named('b')])
    await references.hold('ns/one', [named('a'), named('b')])
    const held = await references.hold('ns/two', [named('a')])

    expect(reads).toEqual(['a', 'b'])
    expect(held).toEqual(new Map([['ns/a', thing('a')]]))
    await end()
  })

  test('are looked for every 30 s while missing, and every 5 minutes after', async () => {
    const { references, server, reads, told, clock, end } = newReferences()
    await references.hold('ns/one', [named('a')])
    await clock.advance(60_500)
    expect(reads).toHaveLength(3)
    expect(told).toEqual([])
    server.set('a', thing('a'))
    await clock.advance(30_000)
    expect(told).toEqual([['ns/one']])
    server.set('a', thing('a', { resourceVersion: '2' }))
    await clock.advance(290_000)
    expect(told).toHaveLength(1)
    await clock.advance(20_000)
    expect(told).toHaveLength(2)
    await end()
  })

  test('are forgotten when nobody holds them, and stay while somebody does', async () => {
    const { references, reads, clock, end } = newReferences()
    await references.hold('ns/one', [named('a'), named('b')])
    await references.hold('ns/two', [named('b')])
    await references.hold('ns/one', [])
    await clock.advance(31_000)
    expect(reads).toEqual(['a', 'b', 'b'])
    references.release('ns/two')
    await clock.advance(3_600_000)
    expect(reads).toHaveLength(3)
    await end()
  })

  test('keep what is known while the server is away', async () => {
    const { references, server, told, fail, clock, end } = newReferences()
    server.set('a', thing('a'))
    await references.hold('ns/one', [named('a')])
    fail(true)
    await clock.advance(600_000)
    const held = await references.hold('ns/one', [named('a')])

    expect(held.get('ns/a')).toEqual(thing('a'))
    expect(told).toEqual([])
    await end()
  })
})
