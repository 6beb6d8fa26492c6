/** Whoever else has a sponsor's seed. */
import { Asset, Keypair, Operation } from '@stellar/stellar-sdk'
import type { Localnet } from '../../src/localnet/network.ts'
import { channelSeed } from '../../src/payments/channels/derive.ts'
import { decimalAmount } from '../../src/platform/core/amounts/decimal.ts'
import { seedOfSecret } from '../../src/stellar/accounts/signer.ts'
import { network, type Sponsor } from './sponsors.ts'
import { submitAs } from './submit-as.ts'

/** Each theft costs the sponsor `SUBMIT_FEE` besides. */
export interface Thief {
  /** Sends XLM of the sponsor to an account of its own. */
  spends(amount: bigint): Promise<void>
  /** Ends the sponsor's first channel, whose reserves the sponsor gets back. */
  mergesChannel(): Promise<void>
}

/** @param loot address of the account that gets it all */
export function thiefOf(ledgers: Localnet, victim: Sponsor, loot: string): Thief {
  const channelKey = Keypair.fromRawEd25519Seed(
    Buffer.from(channelSeed(seedOfSecret(victim.secret), network, 0)),
  )
  return {
    spends: (amount) =>
      submitAs(
        ledgers,
        victim.secret,
        Operation.payment({
          destination: loot,
          asset: Asset.native(),
          amount: decimalAmount(amount, 7),
        }),
      ),
    // The channel has no XLM for a fee, so the sponsor is the source.
    mergesChannel: () =>
      submitAs(
        ledgers,
        victim.secret,
        Operation.accountMerge({ destination: loot, source: channelKey.publicKey() }),
        channelKey,
      ),
  }
}
