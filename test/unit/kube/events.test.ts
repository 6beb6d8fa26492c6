import { describe, expect, test } from 'vitest'
import { EventCorrelator } from '../../../src/kube/event-correlator.ts'
import { createEventRecorder } from '../../../src/kube/events.ts'
import { KubeError } from '../../../src/kube/kube-error.ts'
import type { DesiredObject, KubeObject, ObjectName } from '../../../src/kube/resource.ts'
import { microTime } from '../../../src/kube/resource.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { thing } from './support/objects.ts'
import { half, silentLogger } from './support/silence.ts'

describe('the correlator of events', () => {
  const sighting = (note: string, uid = 'u') => ({ uid, similarKey: `${uid} Failed`, note })

  test('counts what is said again within ten minutes, and tells it anew after', async () => {
    const clock = new FakeClock()
    const correlator = new EventCorrelator(clock)

    expect(correlator.decide(sighting('x'), 'first')).toMatchObject({ do: 'create', name: 'first' })
    expect(correlator.decide(sighting('x'), 'n')).toEqual({
      do: 'repeat',
      name: 'first',
      note: 'x',
      count: 2,
    })
    await clock.advance(600_000)
    expect(correlator.decide(sighting('x'), 'later')).toMatchObject({ do: 'create', name: 'later' })
  })

  test('makes one series of more than ten of a kind', () => {
    const correlator = new EventCorrelator(new FakeClock())
    const told = Array.from({ length: 13 }, (_, index) =>
      correlator.decide(sighting(`no ${index}`), `e${index}`),
    )

    expect(told.slice(0, 10).every((decision) => decision.do === 'create')).toBe(true)
    expect(told.slice(10)).toEqual([
      { do: 'create', name: 'e10', note: '(combined from similar events) no 10' },
      { do: 'repeat', name: 'e10', note: '(combined from similar events) no 11', count: 2 },
      { do: 'repeat', name: 'e10', note: '(combined from similar events) no 12', count: 3 },
    ])
  })

  test('lets 25 of one object pass at once, then one in five minutes; others have their own', async () => {
    const clock = new FakeClock()
    const correlator = new EventCorrelator(clock)
    const told = Array.from({ length: 30 }, () => correlator.decide(sighting('x'), 'e').do)

    expect(told.filter((done) => done !== 'drop')).toHaveLength(25)
    expect(correlator.decide(sighting('x', 'other'), 'e').do).toBe('create')
    await clock.advance(300_000)
    expect(correlator.decide(sighting('x'), 'e')).toMatchObject({ do: 'repeat', count: 31 })
    expect(correlator.decide(sighting('x'), 'e').do).toBe('drop')
  })
})

describe('the recorder of events', () => {
  function newRecorder(fail: (call: number) => Error | undefined = () => undefined) {
    const clock = new FakeClock(Date.parse('2026-01-02T03:04:05.678Z'))
    const calls: Record<string, unknown>[] = []
    const take = (call: Record<string, unknown>) => {
      calls.push(call)
      const error = fail(calls.length)
      if (error) throw error
    }
    const client = {
      create: async <T extends KubeObject>(_: unknown, body: DesiredObject): Promise<T> => {
        take({ create: body })
        return thing('event') as KubeObject as T
      },
      patch: async <T extends KubeObject>(
        _: unknown,
        { name }: ObjectName,
        body: unknown,
      ): Promise<T> => {
        take({ patch: name, body })
        return thing('event') as KubeObject as T
      },
    }
    const controller = 'test.dev/operator'
    const options = {
      client,
      controller,
      instance: 'pod-0',
      clock,
      random: half,
      logger: silentLogger,
    }
    return { calls, clock, recorder: createEventRecorder(options) }
  }
  const facts = { type: 'Normal', reason: 'Grown', action: 'Grow', note: 'It grew' } as const

  test('writes what the API asks for', async () => {
    const { calls, recorder } = newRecorder()
    recorder.record(thing('a'), facts)
    await recorder.flush()

    expect(calls[0]?.['create']).toMatchObject({
      metadata: { namespace: 'ns', name: expect.stringMatching(/^a\.[0-9a-f]+$/) },
      eventTime: '2026-01-02T03:04:05.678000Z',
      reportingController: 'test.dev/operator',
      reportingInstance: 'pod-0',
      ...facts,
      regarding: { kind: 'Thing', name: 'a', namespace: 'ns', uid: 'uid-a', resourceVersion: '1' },
    })
  })

  test('counts up the event that it wrote, and writes a new one when that is gone', async () => {
    const { calls, recorder } = newRecorder((call) =>
      call === 3 ? new KubeError({ kind: 'notFound', message: 'gone' }) : undefined,
    )
    for (const _ of [1, 2, 3]) recorder.record(thing('a'), facts)
    await recorder.flush()

    const series = (count: number) => ({ count, lastObservedTime: expect.any(String) })
    expect(calls[1]).toMatchObject({ body: { series: series(2) } })
    expect(calls[2]).toMatchObject({ patch: expect.any(String) })
    expect(calls[3]).toMatchObject({ create: { series: series(3) } })
  })

  test('tries thrice while the server is away, and does not mind in the end', async () => {
    const { calls, clock, recorder } = newRecorder(
      () => new KubeError({ kind: 'transport', message: 'away' }),
    )
    recorder.record(thing('a'), facts)
    await clock.advance(10_000)
    await recorder.flush()

    expect(calls).toHaveLength(3)
  })

  test('cuts a note that the server would refuse', async () => {
    const { calls, recorder } = newRecorder()
    recorder.record(thing('a'), { ...facts, note: 'ü'.repeat(2_000) })
    await recorder.flush()
    const { note } = calls[0]!['create'] as { note: string }

    expect(Buffer.byteLength(note)).toBeLessThanOrEqual(1_024)
  })
})

test('MicroTime has six digits', () => {
  expect(microTime(0)).toBe('1970-01-01T00:00:00.000000Z')
})
