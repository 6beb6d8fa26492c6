import type { NetworkFacts } from '../../../diagnosis/facts/facts.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { ServedNetwork } from '../../engine/network/served-network.ts'

export type PolledNetwork = Pick<ServedNetwork, 'id' | 'minSponsorBalance'> & {
  readonly sponsor: Pick<ServedNetwork['sponsor'], 'address'>
  readonly monitor: Pick<ServedNetwork['monitor'], 'tip' | 'balance'>
  readonly channels: Pick<ServedNetwork['channels'], 'onLedger'>
}

/** What the network's monitor has read, without a request: what payments need. The rest is as if never read. */
export function polledFacts(
  { id, sponsor, minSponsorBalance: floor, monitor, channels }: PolledNetwork,
  clock: Pick<Clock, 'now'>,
): NetworkFacts {
  const { latest, misses } = monitor.tip
  return {
    id,
    rpc: {
      misses: latest ? misses : Math.max(misses, 1),
      ledger: latest && {
        sequence: latest.value.sequence,
        ageMs: clock.now() - latest.value.closeTime * 1_000,
      },
    },
    sponsor: { address: sponsor.address, floor, balance: monitor.balance },
    channels: { total: channels.onLedger },
    hour: { value: undefined, misses: 0 },
    contracts: [],
  }
}
