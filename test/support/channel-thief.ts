/** Whoever else has the secret of a sponsor's channels, and not the sponsor's key. */
import { Asset, Keypair, Operation } from '@stellar/stellar-sdk'
import type { Localnet } from '../../src/localnet/network.ts'
import { authoritySigner, channelSeed } from '../../src/payments/channels/derive.ts'
import { type Signer, seedOfSecret } from '../../src/stellar/accounts/signer.ts'
import { submitAs } from './submit-as.ts'

type Change = Parameters<typeof submitAs>[2]

/** Every change pays `SUBMIT_FEE` from the thief's own account, and closes a ledger. */
export interface ChannelThief {
  /** The settlement authority, with its key. */
  readonly authority: Signer
  /** Address of a channel. */
  channel(index: number): string
  /** Raises the sequence number of a channel. */
  bump(index: number, bumpTo: bigint): Promise<void>
  /** Takes the weight of a channel's own key. */
  disable(index: number): Promise<void>
  /** Merges a channel into the thief's account. */
  merge(index: number): Promise<void>
  /** Pays XLM of any account to the thief, with the signatures of all keys that the thief has. */
  pay(from: string, amount: string): Promise<void>
}

/** @param own the account that pays the fees, and gets whatever there is to get */
export function channelThief(
  ledgers: Localnet,
  { channelSecret, own, channels }: { channelSecret: string; own: Keypair; channels: number },
): ChannelThief {
  const seed = seedOfSecret(channelSecret)
  const keys = Array.from({ length: channels }, (_, index) =>
    Keypair.fromRawEd25519Seed(Buffer.from(channelSeed(seed, 'stellar:testnet', index))),
  )
  const keyOf = (index: number): Keypair => {
    const key = keys[index]
    if (!key) throw new Error(`no channel ${index}`)
    return key
  }
  const change = (index: number, operation: (source: string) => Change) =>
    submitAs(ledgers, own.secret(), operation(keyOf(index).publicKey()), keyOf(index))
  return {
    authority: authoritySigner(channelSecret, 'stellar:testnet'),
    channel: (index) => keyOf(index).publicKey(),
    bump: (index, bumpTo) =>
      change(index, (source) => Operation.bumpSequence({ bumpTo: bumpTo.toString(), source })),
    disable: (index) =>
      change(index, (source) => Operation.setOptions({ masterWeight: 0, source })),
    merge: (index) =>
      change(index, (source) => Operation.accountMerge({ destination: own.publicKey(), source })),
    pay: (from, amount) =>
      submitAs(
        ledgers,
        own.secret(),
        Operation.payment({
          destination: own.publicKey(),
          asset: Asset.native(),
          amount,
          source: from,
        }),
        ...keys,
      ),
  }
}
