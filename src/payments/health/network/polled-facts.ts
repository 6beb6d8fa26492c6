import type { NetworkFacts } from '../../../diagnosis/facts/facts.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { ServedNetwork } from '../../engine/network/served-network.ts'

export type PolledNetwork = Pick<ServedNetwork, 'id' | 'minSponsorBalance'> & {
  readonly sponsor: Pick<ServedNetwork['sponsor'], 'address'>
  readonly signer?: ServedNetwork['signer']
  readonly monitor: Pick<ServedNetwork['monitor'], 'tip' | 'balance'>
  readonly channels: Pick<ServedNetwork['channels'], 'onLedger'>
}

/** The facts that the network's monitor has already read for payments; makes no request. All other facts count as never read. */
export function polledFacts(
  { id, sponsor, signer, minSponsorBalance: floor, monitor, channels }: PolledNetwork,
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
    signer: signer?.health,
    sponsor: { address: sponsor.address, floor, balance: monitor.balance },
    channels: { total: channels.onLedger },
    hour: { value: undefined, misses: 0 },
    contracts: [],
  }
}
