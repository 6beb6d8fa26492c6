import { expect, test } from 'vitest'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import type { PoolBlocked } from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import { startOf } from '../../../../../../src/kubernetes/operator/channel-pool/deletion/deletion-progress.ts'
import { givesUp } from '../../../../../../src/kubernetes/operator/channel-pool/deletion/give-up.ts'
import { createNamespacePhases } from '../../../../../../src/kubernetes/operator/channel-pool/deletion/namespace-phase.ts'
import { KubeError } from '../../../../../../src/kubernetes/runtime/client/kube-error.ts'
import { isoTime } from '../../../../../../src/platform/core/text/iso-time.ts'

const startedAt = 1_700_000_000_000
const minutes = 60_000
const { signal } = new AbortController()
const pool = { metadata: { namespace: 'shop' }, spec: { deletionPolicy: 'Retire' } } as ChannelPool

type Phase = 'Active' | 'Terminating' | 'unknown'
const after = (ms: number, phase: Phase, reason?: PoolBlocked['reason']) => {
  const clock = { now: () => startedAt + ms, sleep: async () => undefined }
  const namespaces = { read: async () => phase }
  const deletion = startOf(pool, startedAt)
  const blocked = { blocker: reason && { reason }, deletion }
  return givesUp({ namespaces, clock }, pool, blocked, signal)
}

test.each<{ of: string; args: Parameters<typeof after>; because: string | undefined }>([
  {
    of: 'a missing seed in a namespace that terminates: at once',
    args: [0, 'Terminating', 'SponsorSecretMissing'],
    because: 'The namespace terminates, and the Secret is gone',
  },
  {
    of: 'a missing Secret of the database there: at once',
    args: [0, 'Terminating', 'DatabaseSecretMissing'],
    because: 'The namespace terminates, and the Secret is gone',
  },
  {
    of: 'an RPC that does not answer there: not before ten minutes',
    args: [10 * minutes - 1, 'Terminating', 'RpcUnreachable'],
    because: undefined,
  },
  {
    of: 'an RPC that does not answer there: after ten minutes',
    args: [10 * minutes, 'Terminating', 'RpcUnreachable'],
    because: 'The namespace terminates',
  },
  {
    of: 'a settlement without an outcome there: after ten minutes',
    args: [10 * minutes, 'Terminating'],
    because: 'The namespace terminates',
  },
  {
    of: 'a missing seed in a namespace that stays: never, an administrator can create it',
    args: [1_000 * minutes, 'Active', 'SponsorSecretMissing'],
    because: undefined,
  },
  {
    of: 'an RPC that does not answer in a namespace that stays: never',
    args: [1_000 * minutes, 'Active', 'RpcUnreachable'],
    because: undefined,
  },
  {
    of: 'a missing seed where the namespace cannot be read: not before ten minutes',
    args: [10 * minutes - 1, 'unknown', 'SponsorSecretMissing'],
    because: undefined,
  },
  {
    of: 'a missing seed where the namespace cannot be read: after ten minutes',
    args: [10 * minutes, 'unknown', 'SponsorSecretMissing'],
    because: 'The Secret is gone',
  },
  {
    of: 'a Facilitator that uses the pool where the namespace cannot be read: never',
    args: [1_000 * minutes, 'unknown', 'Conflict'],
    because: undefined,
  },
  {
    of: 'channels that another store manages: at once',
    args: [0, 'Active', 'SponsorMarked'],
    because: 'Another store manages the channels',
  },
])('a deletion gives up its clean-up for $of', async ({ args, because }) => {
  expect(await after(...args)).toBe(because)
})

test('the ten minutes count from the start of the deletion, also after a restart of the operator', () => {
  const deletion = startOf(pool, startedAt)
  expect(deletion.startedAt).toBe(isoTime(startedAt))
  const later = { ...pool, status: { deletion } } as ChannelPool
  expect(startOf(later, startedAt + 9 * minutes).startedAt).toBe(isoTime(startedAt))
})

test.each<{ answer: unknown; phase: Phase }>([
  { answer: { status: { phase: 'Terminating' } }, phase: 'Terminating' },
  { answer: { status: { phase: 'Active' } }, phase: 'Active' },
  { answer: new KubeError({ kind: 'forbidden', message: 'no' }), phase: 'unknown' },
  { answer: new KubeError({ kind: 'notFound', message: 'no' }), phase: 'unknown' },
])('the namespace is $phase', async ({ answer, phase }) => {
  const get = async () => {
    if (answer instanceof Error) throw answer
    return answer
  }
  expect(await createNamespacePhases({ get } as never).read('shop', signal)).toBe(phase)
})
