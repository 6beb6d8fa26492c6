import type { Clock } from '../../../platform/core/time/clock.ts'
import { drainChannels } from '../../store/channels/retire.ts'
import { abandonExpiredClaims } from '../../store/settlements/claim/abandon-expired-claims.ts'
import { authoritySigners } from '../authorities.ts'
import type { Progress } from '../progress.ts'
import { emptySponsor } from './empty.ts'
import type { RetirePlanOptions } from './retire-plan.ts'
import { RetireRefusal, refuseBesideService, refuseMarkedByAnother } from './retire-refusal.ts'

export interface RetireOptions extends RetirePlanOptions {
  /** Whether to retire also while a replica serves the network, as its heartbeats show. */
  readonly besideService: boolean
  readonly clock: Clock
  readonly onProgress: Progress
}

/**
 * Stops leasing the sponsor's channels and merges every one back into it, and then the settlement authorities. May be
 * called any number of times. Returns how many accounts existed when the call started; all of them are merged now, by
 * this process or another.
 *
 * Throws `RetireRefusal` when another store marked the sponsor, and while any settlement of the network is unfinished, any channel leased, or any replica
 * serves, `RetireFailure` when the sponsor cannot merge them, `RpcError` when the network does not answer.
 */
export async function retireChannels(options: RetireOptions): Promise<number> {
  const sponsor = options.keys.address
  if (!options.besideService) await refuseMarkedByAnother({ sponsor }, options)
  const authorities = authoritySigners(options.network, options)
  const before = () => drain(options, sponsor)
  return (await emptySponsor({ ...options, authorities, before })).found
}

async function drain(
  { network, store, besideService }: RetireOptions,
  sponsor: string,
): Promise<void> {
  if (!store) return
  if (!besideService) await refuseBesideService(store.db, { network, sponsor })
  // An expired claim is no reason to refuse, and there may be no service left to abandon it.
  if ((await abandonExpiredClaims(store.db)) > 0) store.notifyFreedChannels(network)
  const drained = await drainChannels(store.db, network, sponsor)
  if (drained.kind === 'draining') return
  const { unfinished, leased } = drained
  throw new RetireRefusal(
    `${network} is in use (unfinished settlements: ${unfinished}, leased channels: ${leased}): ` +
      'stop the service, let them end, and see them with svc settlements list',
  )
}
