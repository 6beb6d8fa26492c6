import type { facilitatorEventReasons } from '../../../crd/facilitator/conditions.ts'
import type { EventFacts } from '../../../runtime/events/events.ts'
import type { FacilitatorResult } from '../converge/converge.ts'
import { type KeeperStatus, lastKnownKeepers } from '../observe/keepers.ts'

/**
 * One event for each action on a settlement contract that the last status does not have. The status has the
 * transaction, so that another operator does not repeat the event. Of several actions between two passes only the
 * last is known.
 */
export function keeperEvents({ observed, keepers }: FacilitatorResult): readonly EventFacts[] {
  const before = lastKnownKeepers(observed.facilitator)
  return [...keepers].flatMap(([pool, keeper]) =>
    keeper.transaction === before.get(pool)?.transaction
      ? []
      : (eventOf(keeper, observed.pools.get(pool)?.spec.network) ?? []),
  )
}

function eventOf(
  { contract, lastAction, transaction, actedAt }: KeeperStatus,
  network = 'its network',
): EventFacts | undefined {
  if (!lastAction) return undefined
  const { reason, action, did } = meanings[lastAction]
  const note = `Transaction ${transaction} ${did} settlement contract ${contract} of ${network} at ${actedAt}.`
  return { type: 'Normal', reason, action, note }
}

interface Meaning {
  readonly reason: keyof typeof facilitatorEventReasons
  readonly action: string
  readonly did: string
}

const meanings: Readonly<Record<NonNullable<KeeperStatus['lastAction']>, Meaning>> = {
  Extend: { reason: 'UptoContractExtended', action: 'ExtendTtl', did: 'extended the TTL of' },
  Restore: { reason: 'UptoContractRestored', action: 'Restore', did: 'restored' },
}
