import { unmergeable } from '../../../../payments/channels/converge/converge.ts'
import {
  heldOf,
  holdersSentence,
  stuckSentence,
} from '../../../../payments/channels/held-channels.ts'
import type { RotationFacts } from '../../../../payments/channels/rotation/phases.ts'
import { listPoolChannels } from '../../../../payments/store/pools/pool-channels.ts'
import type { Connected } from '../connect/connect.ts'
import type { PoolResult } from '../converge/converge.ts'
import { accountsAfter, authoritiesOf } from '../status/status.ts'
import { sentence } from './check.ts'

export const noArrival = (desired: number): RotationFacts['arrived'] => ({
  ready: 0,
  desired,
  hasAuthority: false,
})

export const arrivalOf = (result: PoolResult): RotationFacts['arrived'] => ({
  ready: result.plan.ready.length,
  desired: result.desired,
  hasAuthority: authoritiesOf(result) > 0,
})

type Left = RotationFacts['left'] & { readonly problem?: string | undefined }

/** How much is left of a sponsor that should have no channels. */
export function leftOf(result: PoolResult | undefined): Left {
  if (!result) return { accounts: 0, holders: undefined, isEmpty: false }
  const { applied, plan, channels } = result
  const accounts = accountsAfter(result)
  const holders = holdersSentence(heldOf(channels))
  const isIdle = applied.kind === 'unchanged' && plan.busy.length === 0
  const isStuck = isIdle && holders === undefined && accounts > 0
  const stuck = stuckSentence(channels)
  return {
    accounts,
    holders,
    isEmpty: isIdle && accounts === 0 && holders === undefined,
    problem: stuck ? sentence(stuck) : isStuck ? sentence(unmergeable(result)) : undefined,
  }
}

/** The remains of a sponsor whose account is gone: no channels, except those that a settlement still uses until it has ended. */
export async function leftOfGone({ network, sponsor, store }: Connected): Promise<Left> {
  const channels = await listPoolChannels(store.db, { network, sponsor })
  const holders = holdersSentence(heldOf(channels))
  return { accounts: 0, holders, isEmpty: holders === undefined }
}
