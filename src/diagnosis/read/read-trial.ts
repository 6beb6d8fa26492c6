import { authoritySigners } from '../../payments/channels/authorities.ts'
import { sponsorsOf } from '../../payments/channels/sponsor-keys.ts'
import { paymentPolicy } from '../../payments/schemes/payment-policy.ts'
import { uptoPolicy } from '../../payments/schemes/upto/options.ts'
import {
  type RecentPayment,
  recentPayments,
} from '../../payments/store/settlements/recent-payments.ts'
import { tryPayments } from '../../payments/trial/try-payments.ts'
import { passphrases } from '../../platform/core/caip2.ts'
import type { Store } from '../../platform/database/open.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import { readNetworkLimits } from '../../stellar/transactions/network-limits.ts'
import type { LedgerFacts } from '../facts/doctor-facts.ts'
import type { TriedAsset } from '../facts/trial-facts.ts'

interface TrialSources {
  readonly rpc: StellarRpc
  readonly network: NetworkConfig
  readonly ledger: LedgerFacts
  /** Undefined where its tables cannot be read: then no earlier payment is known. */
  readonly store: Store | undefined
}

/** Tries a payment in each asset and scheme. Throws `RpcError`. */
export async function readTrial(
  { rpc, network, ledger, store }: TrialSources,
  signal: AbortSignal,
): Promise<readonly TriedAsset[]> {
  const sponsors = sponsorsOf(network)
  const { id, upto } = network
  const policy = paymentPolicy(
    {
      ...network,
      passphrase: passphrases[id],
      upto:
        upto &&
        uptoPolicy({
          ...upto,
          authorities: authoritySigners(id, sponsors),
          nextAuthority: sponsors.nextSponsor?.authority(id),
        }),
    },
    () => false,
  )
  const { transaction: limits } = await readNetworkLimits(rpc, signal)
  const [channel] = ledger.channels.keys()
  const none: readonly RecentPayment[] = []
  return tryPayments(
    {
      rpc,
      policy,
      limits,
      channel,
      inclusionFee: network.inclusionFee.floorStroops,
      sponsor: sponsors.keys.address,
      recentPayments: async (asset) => (store ? recentPayments(store.db, id, asset) : none),
    },
    signal,
  )
}
