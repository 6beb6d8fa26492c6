import { describe, expect, test } from 'vitest'
import { finalizer } from '../../../../../src/kubernetes/crd/names/marks.ts'
import {
  createReconcile as createPoolReconcile,
  type ReconcileDeps as PoolDeps,
} from '../../../../../src/kubernetes/operator/channel-pool/reconcile.ts'
import { RolloutSlots } from '../../../../../src/kubernetes/operator/facilitator/plan/rollout-slots.ts'
import {
  createReconcile,
  type ReconcileDeps,
} from '../../../../../src/kubernetes/operator/facilitator/reconcile.ts'
import { OwnWrites } from '../../../../../src/kubernetes/runtime/cache/own-writes.ts'
import type { Reconcile } from '../../../../../src/kubernetes/runtime/controller/controller.ts'
import { FakeClock } from '../../../../support/fake-clock.ts'
import { silentLogger } from '../../runtime/support/silence.ts'
import { facilitatorWith, poolWith } from '../facilitator/builders.ts'

interface Reported {
  readonly conditions: readonly { type: string; status: string; reason: string; message: string }[]
}

const unparsable = () => new URL('https://rpc.example:99999')
const request = {
  key: 'shop/x',
  name: { namespace: 'shop', name: 'x' },
  signal: new AbortController().signal,
  failures: 0,
  logger: silentLogger,
}
const failedStatus = (observedGeneration: number) => ({
  status: {
    conditions: [
      {
        type: 'Degraded',
        status: 'True' as const,
        reason: 'Failed',
        message: 'It failed.',
        observedGeneration,
        lastTransitionTime: '2026-01-01T00:00:00Z',
      },
    ],
  },
})
const reporter = () => {
  const reports: Reported[] = []
  const report = async (_: unknown, conditions: Reported['conditions']) => {
    reports.push({ conditions })
  }
  return { reports, report }
}
const retained = { metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' } }

/** A Facilitator whose children cannot be rendered. */
function facilitator(changes: object = {}): { reports: Reported[]; reconcile: Reconcile } {
  const { reports, report } = reporter()
  const base = facilitatorWith()
  const { metadata = {}, ...rest } = Object(changes)
  const object = { ...base, ...rest, metadata: { ...base.metadata, ...metadata } }
  const observe = { pools: { get: unparsable } }
  const deps = { facilitators: { get: () => object }, ownWrites: new OwnWrites(), observe, report }
  const slots = new RolloutSlots({ exists: () => true, clock: new FakeClock() })
  return { reports, reconcile: createReconcile({ ...deps, slots } as unknown as ReconcileDeps) }
}

/** A pool whose RPC endpoints cannot be opened. */
function pool(changes: object = {}) {
  const { reports, report } = reporter()
  const base = poolWith()
  const { metadata = {}, ...rest } = Object(changes)
  const object = {
    ...base,
    ...rest,
    metadata: { ...base.metadata, finalizers: [finalizer], ...metadata },
  }
  const released: string[] = []
  const deps = {
    pools: { get: () => object },
    ownWrites: new OwnWrites(),
    known: { uidOf: () => undefined, note: () => undefined },
    waiting: { begin: () => undefined, end: () => undefined },
    report,
    connect: unparsable,
    usersOf: () => [],
    client: {
      fieldManager: 'test',
      apply: async () => {
        released.push('the finalizer')
        return { object: { metadata: {} }, created: false }
      },
    },
    connectDeps: {},
    forgottenSecrets: () => [],
    forget: async () => {},
    clock: { now: () => 0 },
  }
  return { reports, released, reconcile: createPoolReconcile(deps as unknown as PoolDeps) }
}

describe.each([
  ['Facilitator', facilitator],
  ['ChannelPool', pool],
])('a %s with a URL that cannot be parsed', (kind, of) => {
  test('gets a condition that says what to do, and is counted as a panic once', async () => {
    const { reports, reconcile } = of()
    await expect(reconcile(request)).rejects.toThrow(TypeError)
    const [{ conditions } = { conditions: [] }] = reports
    expect(conditions.map(({ type, status, reason }) => [type, status, reason])).toEqual([
      ['Progressing', 'False', 'Failed'],
      ['Degraded', 'True', 'Failed'],
    ])
    expect(conditions[1]?.message).toContain(`this ${kind}`)
    expect(conditions[1]?.message).toContain('ERR_INVALID_URL')
    expect(conditions[1]?.message).toContain('Correct the field of the spec')

    const later = of(failedStatus(1))
    expect(await later.reconcile(request)).toMatchObject({ kind: 'again', afterMs: 60_000 })
    expect(later.reports).toHaveLength(1)
  })

  test('is counted again after its spec has changed', async () => {
    const { reconcile } = of({ ...failedStatus(1), metadata: { generation: 2 } })
    await expect(reconcile(request)).rejects.toThrow(TypeError)
  })
})

test('a Facilitator whose spec cannot be worked with does not freeze in its deletion', async () => {
  const { reports, reconcile } = facilitator(retained)
  expect(await reconcile(request)).toEqual({ kind: 'settled' })
  expect(reports[0]?.conditions[0]).toMatchObject({ type: 'Ready', reason: 'Deleting' })
})

test('a retained pool whose spec cannot be worked with does not freeze in its deletion', async () => {
  const { released, reconcile } = pool(retained)
  expect(await reconcile(request)).toEqual({ kind: 'settled' })
  expect(released).toEqual(['the finalizer'])
})

test('the message of an unexpected error does not quote its text, which may hold a secret', async () => {
  const { reports, reconcile } = facilitator()
  await expect(reconcile(request)).rejects.toThrow()
  expect(JSON.stringify(reports)).not.toContain('99999')
})
