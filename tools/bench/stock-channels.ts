import { createChannels } from '../../src/payments/channels/create/create-channels.ts'
import { channelSeed } from '../../src/payments/channels/derive.ts'
import { asStroops } from '../../src/platform/core/amounts/stroops.ts'
import { systemClock } from '../../src/platform/core/time/clock.ts'
import {
  secretOfSeed,
  seedOfSecret,
  signerFromSecret,
  signerFromSeed,
} from '../../src/stellar/accounts/signer.ts'
import type { StellarRpc } from '../../src/stellar/rpc/rpc.ts'
import { CHANNELS_PER_ENVELOPE } from '../../src/stellar/transactions/channel-envelopes.ts'

/** Creates channel accounts for the stock facilitator as ours creates its own; returns their secrets. */
export async function openStockChannels(
  rpc: StellarRpc,
  sponsorSecret: string,
  count: number,
): Promise<string[]> {
  const network = 'stellar:testnet'
  const seeds = Array.from({ length: count }, (_, index) =>
    channelSeed(seedOfSecret(sponsorSecret), network, index),
  )
  for (let from = 0; from < count; ) {
    const channels = seeds.slice(from, from + CHANNELS_PER_ENVELOPE).map(signerFromSeed)
    const outcome = await createChannels({
      network,
      sponsor: signerFromSecret(sponsorSecret),
      channels,
      inclusionFee: asStroops(100n),
      rpc,
      clock: systemClock,
      signal: new AbortController().signal,
    })
    if (outcome.kind === 'done') from += channels.length
  }
  return seeds.map(secretOfSeed)
}
