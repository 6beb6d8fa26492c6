import { systemClock } from '../../platform/core/time/clock.ts'
import { Localnet } from '../network.ts'
import { startLocalnetServer } from '../server/server.ts'
import type { EmbeddedNetwork, EmbeddedNetworkOptions } from './embedded-network.ts'
import { RunningNetwork } from './running-network.ts'
import { independentClock, TravelClock } from './travel-clock.ts'

/** Starts a Stellar network with a new ledger, and its RPC. Rejects when the port is taken. */
export async function startLocalnet(
  options: EmbeddedNetworkOptions = {},
): Promise<EmbeddedNetwork> {
  const { closing = 'instant', port = 0, networkPassphrase, limits, log } = options
  const realClock = independentClock(systemClock)
  const clock = new TravelClock(realClock)
  const network = new Localnet({
    clock,
    // A hundred ledgers a second must not put the ledgers' time ahead of the time bounds that clients set.
    minCloseTimeStep: closing === 'instant' ? 0 : 1,
    ...(networkPassphrase !== undefined && { passphrase: networkPassphrase }),
    ...(limits && { limits }),
    ...(log && { log }),
  })
  const server = await startLocalnetServer({
    network,
    port,
    // A timer must not wait for the time that a restore takes back.
    clock: realClock,
    closeEveryMs: typeof closing === 'string' ? closing : closing.everyMs,
    ...(log && { log }),
  })
  return new RunningNetwork({ network, server, clock, closesOnDemand: typeof closing === 'string' })
}
