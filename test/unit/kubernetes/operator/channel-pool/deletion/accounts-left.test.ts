import { expect, test } from 'vitest'
import { annotations, finalizer } from '../../../../../../src/kubernetes/crd/names/marks.ts'
import { PoolBlocked } from '../../../../../../src/kubernetes/operator/channel-pool/connect/blockers.ts'
import { cleanUp } from '../../../../../../src/kubernetes/operator/channel-pool/deletion/deletion.ts'
import { accountsOnLedger } from '../../../../../../src/kubernetes/operator/channel-pool/deletion/deletion-progress.ts'
import { poolWith } from '../../facilitator/builders.ts'

const channels = (wanted: number, accounts: number) => ({
  wanted,
  ready: 0,
  inUse: 0,
  draining: 0,
  quarantined: 0,
  accounts,
})
const statusWith = (wanted: number, accounts: number, onLedger = true) => ({
  channels: channels(wanted, accounts),
  authority: { onLedger },
  sponsor: { address: 'GA' },
})
const countOf = (status: object) => accountsOnLedger(poolWith({}, { status: status as never }))

test('the settlement authority counts with the channels, once', () => {
  expect(countOf(statusWith(3, 3))).toBe(4)
  expect(countOf(statusWith(3, 3, false))).toBe(3)
  // A pool that should have none counts it already.
  expect(countOf(statusWith(0, 4))).toBe(4)
  expect(countOf({ ...statusWith(3, 2), deletion: { accountsLeft: 2 } })).toBe(2)
})

test('N10: CleanupSkipped says how many accounts stay on the ledger', async () => {
  const pool = poolWith({ deletionPolicy: 'Retire' }, { status: statusWith(3, 3) as never })
  const marked = {
    ...pool,
    metadata: {
      ...pool.metadata,
      finalizers: [finalizer],
      annotations: { [annotations.skipCleanup]: 'true' },
    },
  }
  const notes: string[] = []
  const deps = {
    events: { record: (_: unknown, { note }: { note: string }) => notes.push(note) },
    connect: async () => {
      throw new PoolBlocked('StoreUnreachable', 'The database does not answer.')
    },
    client: { get: async () => undefined, patch: async () => marked, apply: async () => marked },
    forget: async () => undefined,
  } as never
  const request = {
    signal: new AbortController().signal,
    logger: { warn: () => undefined },
  } as never
  await cleanUp(deps, marked, request).catch(() => undefined)

  expect(notes).toEqual([
    'The annotation asks for it: 4 accounts (channels and the settlement authority) of sponsor GA stay on the ledger, with 1 XLM each locked. To get it back, create a ChannelPool with this sponsor and the policy Retire, and delete it.',
  ])
})
