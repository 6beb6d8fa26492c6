import { setImmediate } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { KubeError } from '../../../../../src/kubernetes/runtime/client/kube-error.ts'
import { EventCorrelator } from '../../../../../src/kubernetes/runtime/events/event-correlator.ts'
import { createEventRecorder } from '../../../../../src/kubernetes/runtime/events/events.ts'
import type {
  DesiredObject,
  KubeObject,
  ObjectName,
} from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { microTime } from '../../../../../src/kubernetes/runtime/objects/resource.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { thing } from '../support/objects.ts'
import { half, silentLogger } from '../support/silence.ts'

describe('the correlator of events', () => {
  const pending = (note: string, uid = 'u') => ({ uid, similarKey: `${uid} Failed`, note })

  test('counts a repetition within ten minutes, and creates a new event after that', async () => {
    const clock = new FakeClock()
    const correlator = new EventCorrelator(clock)

    expect(correlator.decide(pending('x'), 'first')).toMatchObject({ do: 'create', name: 'first' })
    expect(correlator.decide(pending('x'), 'n')).toEqual({
      do: 'repeat',
      name: 'first',
      note: 'x',
      count: 2,
    })
    await clock.advance(600_000)
    expect(correlator.decide(pending('x'), 'later')).toMatchObject({ do: 'create', name: 'later' })
  })

  test('combines more than ten similar events into one series', () => {
    const correlator = new EventCorrelator(new FakeClock())
    const decisions = Array.from({ length: 13 }, (_, index) =>
      correlator.decide(pending(`no ${index}`), `e${index}`),
    )

    expect(decisions.slice(0, 10).every((decision) => decision.do === 'create')).toBe(true)
    expect(decisions.slice(10)).toEqual([
      { do: 'create', name: 'e10', note: '(combined from similar events) no 10' },
      { do: 'repeat', name: 'e10', note: '(combined from similar events) no 11', count: 2 },
      { do: 'repeat', name: 'e10', note: '(combined from similar events) no 12', count: 3 },
    ])
  })

  test('passes 25 events of an object at once, then one in five minutes, and counts other objects separately', async () => {
    const clock = new FakeClock()
    const correlator = new EventCorrelator(clock)
    const decisions = Array.from({ length: 30 }, () => correlator.decide(pending('x'), 'e').do)

    expect(decisions.filter((done) => done !== 'drop')).toHaveLength(25)
    expect(correlator.decide(pending('x', 'other'), 'e').do).toBe('create')
    await clock.advance(300_000)
    expect(correlator.decide(pending('x'), 'e')).toMatchObject({ do: 'repeat', count: 31 })
    expect(correlator.decide(pending('x'), 'e').do).toBe('drop')
  })
})

interface Call {
  readonly number: number
  readonly namespace: string | undefined
}

describe('the recorder of events', () => {
  function newRecorder(fail: (call: Call) => Error | undefined = () => undefined) {
    const clock = new FakeClock(Date.parse('2026-01-02T03:04:05.678Z'))
    const calls: Record<string, unknown>[] = []
    const take = (call: Record<string, unknown>, namespace?: string) => {
      calls.push(call)
      const error = fail({ number: calls.length, namespace })
      if (error) throw error
    }
    const client = {
      create: async <T extends KubeObject>(_: unknown, body: DesiredObject): Promise<T> => {
        take({ create: body }, body.metadata.namespace)
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

  test('writes the fields that the API requires', async () => {
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

  test('holds nothing of an object while its event waits', async () => {
    setFlagsFromString('--expose-gc')
    const collect: () => void = runInNewContext('gc')
    const { calls, clock, recorder } = newRecorder(({ number }) =>
      number === 1 ? new KubeError({ kind: 'unavailable', message: 'later' }) : undefined,
    )
    recorder.record(thing('first'), facts)
    const record = () => {
      const large = thing('second', {}, { spec: { size: 1 } })
      recorder.record(large, facts)
      return new WeakRef(large)
    }
    const held = record()
    // A reference keeps its object until the job that made it ends.
    await setImmediate()
    collect()
    expect(held.deref()).toBeUndefined()
    await clock.advance(600_000)
    await recorder.flush()
    expect(calls.at(-1)).toMatchObject({
      create: { regarding: { name: 'second' }, note: 'It grew' },
    })
  })

  test('increases the count of its event, and creates a new one when that is gone', async () => {
    const { calls, recorder } = newRecorder(({ number }) =>
      number === 3 ? new KubeError({ kind: 'notFound', message: 'gone' }) : undefined,
    )
    for (const _ of [1, 2, 3]) recorder.record(thing('a'), facts)
    await recorder.flush()

    const series = (count: number) => ({ count, lastObservedTime: expect.any(String) })
    expect(calls[1]).toMatchObject({ body: { series: series(2) } })
    expect(calls[2]).toMatchObject({ patch: expect.any(String) })
    expect(calls[3]).toMatchObject({ create: { series: series(3) } })
  })

  test('drops an event after three attempts without an answer', async () => {
    const { calls, clock, recorder } = newRecorder(
      () => new KubeError({ kind: 'transport', message: 'away' }),
    )
    recorder.record(thing('a'), facts)
    await clock.advance(10_000)
    await recorder.flush()

    expect(calls).toHaveLength(3)
  })

  test('delays and drops no events of another namespace when the server throttles one', async () => {
    const throttled = new KubeError({ kind: 'throttled', message: 'x', retryAfterMs: 30_000 })
    const { calls, recorder } = newRecorder(({ namespace }) =>
      namespace === 'hostile' ? throttled : undefined,
    )
    for (let index = 0; index < 2_000; index++) {
      recorder.record(thing(`h${index}`, { namespace: 'hostile', uid: `h${index}` }), facts)
    }
    recorder.record(thing('a'), facts)
    await expect.poll(() => calls.length).toBe(2)

    expect(calls[1]).toMatchObject({ create: { regarding: { name: 'a' } } })
  })

  test('cuts a note at the limit of the server', async () => {
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
