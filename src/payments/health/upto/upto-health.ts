import { currentOf, type UptoFacts } from '../../../diagnosis/facts/facts.ts'
import { spendableOf } from '../../channels/minimum-balance.ts'
import type { NetworkHealth } from '../schema.ts'

/** The member `upto`: what the last poll could not read is null. */
export function uptoHealth({
  contract,
  authority,
  keeper,
}: UptoFacts): NonNullable<NetworkHealth['upto']> {
  const account = currentOf(authority.account)
  const state = currentOf(keeper.state)
  const funds = account?.kind === 'known' ? account : undefined
  const spendable = funds && spendableOf(funds)
  const { lastAction } = state ?? {}
  return {
    contract,
    authority: {
      address: authority.address,
      present: account === undefined ? null : account.kind === 'known',
      balanceStroops: funds?.stroops.toString() ?? null,
      spendableStroops:
        spendable === undefined ? null : (spendable > 0n ? spendable : 0n).toString(),
      tokens:
        currentOf(authority.tokens)?.map((token) => ({
          ...token,
          balance: token.balance.toString(),
        })) ?? null,
    },
    keeper: {
      enabled: keeper.enabled,
      autoRestore: keeper.autoRestore,
      checkedAt: state?.checkedAt?.toISOString() ?? null,
      plan: state?.plan ?? null,
      lastAction: lastAction ? { ...lastAction, at: lastAction.at.toISOString() } : null,
      error: state?.error ?? null,
    },
  }
}
