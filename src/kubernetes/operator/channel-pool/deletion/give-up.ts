import type { Clock } from '../../../../platform/core/time/clock.ts'
import type { ChannelPool } from '../../../crd/channel-pool.ts'
import type { PoolBlocked } from '../connect/blockers.ts'
import type { DeletionProgress } from './deletion-progress.ts'
import type { NamespacePhases } from './namespace-phase.ts'

interface BlockedDeletion extends Pick<DeletionProgress, 'deletion'> {
  /** Undefined when the clean-up started and cannot end. */
  readonly blocker: Pick<PoolBlocked, 'reason'> | undefined
}

interface GiveUpDeps {
  readonly namespaces: NamespacePhases
  readonly clock: Clock
}

const PATIENCE_MS = 10 * 60_000

const missingSecrets: readonly PoolBlocked['reason'][] = [
  'SponsorSecretMissing',
  'DatabaseSecretMissing',
]

/**
 * Why a deletion that cannot continue ends without its clean-up; undefined while it waits for an administrator. A namespace that
 * terminates has to end: it lets no Secret be created again, and after ten minutes the rest of what the clean-up needs is gone, too.
 * Where the operator may not read the namespace, a missing Secret is taken for one after the same time. The channels of a store that
 * another one has taken over are not this pool's to merge.
 */
export async function givesUp(
  { namespaces, clock }: GiveUpDeps,
  { metadata }: ChannelPool,
  { blocker, deletion }: BlockedDeletion,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (blocker?.reason === 'SponsorMarked') return 'Another store manages the channels'
  const isMissing = blocker !== undefined && missingSecrets.includes(blocker.reason)
  const isLate = clock.now() - Date.parse(deletion.startedAt) >= PATIENCE_MS
  if (!isMissing && !isLate) return undefined
  const phase = await namespaces.read(metadata.namespace, signal)
  if (phase === 'Terminating') {
    return isMissing
      ? 'The namespace terminates, and the Secret is gone'
      : 'The namespace terminates'
  }
  return phase === 'unknown' && isMissing && isLate ? 'The Secret is gone' : undefined
}
