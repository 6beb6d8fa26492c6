import type { AccountState } from '../../../stellar/rpc/rpc.ts'

/**
 * Why the ledger merges this account of ours at no time soon; undefined where nothing is in the way. Only who has its key can bring this
 * about: a channel has no data, no trustline, and the key it was created with.
 */
export function whyUnmergeable(account: AccountState, ledger: number): string | undefined {
  if (account.keyLacksWeight) return 'its own key cannot merge it any more'
  if (account.subentries > 0) return 'it has entries beside itself'
  if (account.sponsoring > 0) return 'it pays the reserves of other entries'
  // An account that is merged and created again would have sequence numbers again that it had before (`MergeOpFrame`).
  return account.sequence >= BigInt(ledger + 1) << 32n
    ? `its sequence number ${account.sequence} is one of a ledger to come`
    : undefined
}
