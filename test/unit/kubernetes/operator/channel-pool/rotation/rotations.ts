import type { SponsorSource } from '../../../../../../src/kubernetes/crd/channel-pool/sponsor-source.ts'
import type { ChannelPool } from '../../../../../../src/kubernetes/crd/channel-pool.ts'
import type { Rotation } from '../../../../../../src/kubernetes/operator/references/rotation-state.ts'
import type { RotationFacts } from '../../../../../../src/payments/channels/rotation/phases.ts'

/* Rotations and what passes observe, for tests of the state machine. */

export const NOW = Date.parse('2026-01-01T00:00:00.000Z')
const AT = '2026-01-01T00:00:00.000Z'

export const secretA = { name: 'sponsor-a', key: 'secret' }
export const secretB = { name: 'sponsor-b', key: 'secret' }
const secretC = { name: 'sponsor-c', key: 'secret' }
export const sourceA = { secretRef: secretA }
export const sourceB = { secretRef: secretB }
export const sourceC = { secretRef: secretC }
export const addressA = `G${'A'.repeat(55)}`
export const addressB = `G${'B'.repeat(55)}`

export const rotation = (changes: Partial<Rotation> = {}): Rotation => ({
  phase: 'Checking',
  mode: 'Planned',
  step: 1,
  aborting: false,
  serving: 'From',
  holdsSecrets: false,
  from: { address: addressA, source: sourceA },
  to: { address: addressB, source: sourceB },
  channelsMoved: '0/8',
  startedAt: AT,
  since: AT,
  message: 'The new sponsor is checked.',
  blocked: false,
  ...changes,
})

/** Everything has happened that any phase waits for. */
export const facts = (changes: Partial<RotationFacts> = {}): RotationFacts => ({
  now: NOW + 1_000,
  problem: undefined,
  isSameAccount: false,
  uptoSeconds: undefined,
  arrived: { ready: 8, desired: 8, hasAuthority: true },
  replicas: [],
  left: { accounts: 0, holders: undefined, isEmpty: true },
  isSwept: true,
  keepsFunds: false,
  ...changes,
})

/** As far as a rotation reads a pool. */
export const poolNaming = (
  sponsor: SponsorSource,
  {
    mode = 'Planned',
    status,
  }: { readonly mode?: Rotation['mode']; readonly status?: ChannelPool['status'] } = {},
): ChannelPool =>
  ({
    metadata: { name: 'testnet', namespace: 'x402', uid: 'uid-1', generation: 1 },
    spec: { sponsor, rotation: { mode, sweep: 'Merge' } },
    ...(status && { status }),
  }) as unknown as ChannelPool
