import type { NetworkHealth } from '../schema.ts'
import { currentOf, type UptoFacts } from './upto-facts.ts'

/** The member `upto`: what the last poll could not read is null. */
export function uptoHealth({
  contract,
  authority,
  keeper,
}: UptoFacts): NonNullable<NetworkHealth['upto']> {
  const account = currentOf(authority.account)
  const state = currentOf(keeper.state)
  const funds = account === 'missing' ? undefined : account
  const { lastAction } = state ?? {}
  return {
    contract,
    authority: {
      address: authority.address,
      present: account === undefined ? null : account !== 'missing',
      balanceStroops: funds?.balance.toString() ?? null,
      spendableStroops: funds?.spendable.toString() ?? null,
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
