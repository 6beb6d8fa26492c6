import { channelSigner } from '../../channels/derive.ts'
import type { NetworkId } from '../../core/caip2.ts'
import type { AccountState, StellarRpc } from '../../stellar/rpc.ts'
import { signerFromSecret } from '../../stellar/signer.ts'
import type { PoolChannel } from '../../store/pools/pool-channels.ts'
import { indicesInQuestion, MAX_CHANNELS, mayHaveMore } from './plan.ts'

export interface LedgerView {
  /** Undefined when the ledger has no such account. */
  readonly sponsor: AccountState | undefined
  /** Those channel accounts in question that exist, by index. */
  readonly accounts: ReadonlyMap<number, AccountState>
}

export interface LedgerQuestion {
  readonly network: NetworkId
  readonly sponsorSecret: string
  readonly wanted: number
  readonly channels: readonly PoolChannel[]
}

/**
 * Looks up the sponsor and the channels that a plan is made of. A sponsor that pays for more
 * accounts than are known has channels from an earlier life of the pool: then all its channels are
 * looked for. Throws `RpcError` without the network.
 */
export async function lookAtLedger(
  rpc: StellarRpc,
  { network, sponsorSecret, wanted, channels }: LedgerQuestion,
  signal: AbortSignal,
): Promise<LedgerView> {
  const address = signerFromSecret(sponsorSecret).address
  const known = new Map(channels.map(({ index, account }) => [index, account]))
  const accountOf = (index: number) =>
    known.get(index) ?? channelSigner(sponsorSecret, network, index).address
  const look = async (indices: readonly number[]) => {
    const addresses = indices.map(accountOf)
    const found = await rpc.accounts([address, ...addresses], signal)
    const accounts = new Map<number, AccountState>()
    for (const [at, index] of indices.entries()) {
      const account = found.get(addresses[at] ?? '')
      if (account) accounts.set(index, account)
    }
    return { sponsor: found.get(address), accounts }
  }
  const view = await look(indicesInQuestion(wanted, channels))
  if (!view.sponsor || !mayHaveMore(view.sponsor, view.accounts)) return view
  return look([...new Set([...known.keys(), ...Array.from({ length: MAX_CHANNELS }, (_, i) => i)])])
}
