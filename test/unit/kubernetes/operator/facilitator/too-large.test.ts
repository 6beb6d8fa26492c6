import { expect, test } from 'vitest'
import type { Facilitator } from '../../../../../src/kubernetes/crd/facilitator.ts'
import {
  createReconcile,
  type ReconcileDeps,
} from '../../../../../src/kubernetes/operator/facilitator/reconcile.ts'
import { leanFacilitator } from '../../../../../src/kubernetes/operator/watches/lean.ts'
import { OwnWrites } from '../../../../../src/kubernetes/runtime/cache/own-writes.ts'
import { silentLogger } from '../../runtime/support/silence.ts'
import { facilitatorWith } from './builders.ts'

type Conditions = readonly { type: string; status: string; reason: string }[]

const request = {
  key: 'shop/payments',
  name: { namespace: 'shop', name: 'payments' },
  signal: new AbortController().signal,
  failures: 0,
  logger: silentLogger,
}
const annotations = { 'x402.svc.dev/paused': 'true' }

/** Neither the API server nor any cache but that of Facilitators is there. */
function reconcileLarge(metadata: Partial<Facilitator['metadata']> = {}) {
  const spec = { podTemplate: { spec: { affinity: { a: 'x'.repeat(100_000) } } } }
  const status = { readyReplicas: 2, sponsors: [{ channelPool: 'testnet' }] }
  const facilitator = { ...facilitatorWith(spec, metadata), status } as unknown as Facilitator
  const released: string[] = []
  const reports: { conditions: Conditions; status: object }[] = []
  const reconcile = createReconcile({
    facilitators: { get: () => leanFacilitator(facilitator) },
    ownWrites: new OwnWrites(),
    slots: {
      block: (of: Facilitator) => released.push(of.metadata.uid),
      forget: (uid: string) => released.push(uid),
    },
    report: async (_: unknown, conditions: Conditions, status: object) => {
      reports.push({ conditions, status })
    },
  } as unknown as ReconcileDeps)
  return { released, reports, outcome: reconcile(request) }
}

test.each([
  ['', {}],
  [' that is paused', { annotations }],
])(
  'a Facilitator%s whose spec is too large is reported, and nothing else is done',
  async (_, metadata) => {
    const { outcome, reports, released } = reconcileLarge(metadata)
    expect(await outcome).toMatchObject({ kind: 'stuck', reason: 'SpecTooLarge' })
    expect(reports).toHaveLength(1)
    expect(
      reports[0]?.conditions.map(({ type, status, reason }) => [type, status, reason]),
    ).toEqual([
      ['Ready', 'Unknown', 'SpecTooLarge'],
      ['Progressing', 'False', 'SpecTooLarge'],
      ['Degraded', 'True', 'SpecTooLarge'],
    ])
    expect(reports[0]?.status).toEqual({
      observedGeneration: 1,
      readyReplicas: 2,
      sponsors: undefined,
    })
    expect(released).toEqual(['uid-payments'])
  },
)

test('one that is being deleted says so', async () => {
  const { outcome, reports } = reconcileLarge({ deletionTimestamp: '2026-01-01T00:00:00Z' })
  expect(await outcome).toEqual({ kind: 'settled' })
  expect(reports[0]?.conditions[0]).toMatchObject({ type: 'Ready', reason: 'Deleting' })
})
