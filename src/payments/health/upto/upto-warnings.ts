import { formatXlm } from '../../../platform/core/amounts/stroops.ts'
import type { NetworkFacts } from '../facts.ts'
import { type Finding, once, type WarningRule } from '../warning-rule.ts'
import { UPTO_ALIAS } from '../watched-contracts.ts'
import type { UptoFacts } from './upto-facts.ts'

const where =
  (find: (upto: UptoFacts, facts: NetworkFacts) => readonly Finding[]) => (facts: NetworkFacts) =>
    facts.upto ? find(facts.upto, facts) : []

/** Every warning about the scheme `upto`, in the order of `/health`; none from a value that was never read. */
export const uptoWarningRules: readonly WarningRule[] = [
  {
    code: 'upto_authority_missing',
    severity: 'critical',
    when: 'the settlement authority of the scheme `upto`, or that of the previous sponsor, is not on the ledger',
    find: where(({ authority: { address, account }, missingEarlier }) => [
      ...once(
        account.value === 'missing' &&
          `the settlement authority ${address} is not on the ledger: no payment of the scheme upto can be settled; create it with svc provision, or see that the sponsor has 1 XLM for its ChannelPool to do so`,
      ),
      ...missingEarlier.flatMap((earlier) =>
        once(
          `the settlement authority ${earlier} of the previous sponsor is not on the ledger: what buyers signed for it cannot be settled; create it with svc provision, or take PREVIOUS_SPONSOR_SECRET out once nothing signed for it is under way`,
        ),
      ),
    ]),
  },
  {
    code: 'upto_authority_funded',
    severity: 'warning',
    when: 'the settlement authority has XLM that is not locked as its reserve',
    find: where(({ authority: { address, account } }) => {
      const { value } = account
      if (value === undefined || value === 'missing' || value.spendable <= 0n) return []
      return once(
        `the settlement authority ${address} can spend ${formatXlm(value.spendable)} and should have nothing: find out who sent it; svc retire returns it to the sponsor, and svc provision creates the authority again`,
      )
    }),
  },
  {
    code: 'upto_authority_holds_tokens',
    severity: 'warning',
    when: 'the settlement authority holds an accepted token',
    find: where(({ authority: { address, tokens } }) => {
      const held = (tokens.value ?? []).map(
        ({ symbol, contract, balance }) => `${balance} base units of ${symbol} (${contract})`,
      )
      return once(
        held.length > 0 &&
          `the settlement authority ${address} holds ${held.join(', ')} and should hold nothing: svc moves none of it; find out who sent it, and whether somebody else has the sponsor's seed, since a trustline needs the authority's signature`,
      )
    }),
  },
  {
    code: 'upto_contract_restore_required',
    severity: 'critical',
    when: 'the instance or the code of the settlement contract is archived',
    find: where(({ contract, keeper }, { contracts }) =>
      contracts
        .filter(({ id, ttl }) => id === contract && typeof ttl?.instanceTtl === 'number')
        .flatMap(({ ttl: { instanceTtl = null, codeTtl = 0 } = {} }) => {
          const archived = [
            ...((instanceTtl ?? 0) < 0 ? ['instance'] : []),
            ...((codeTtl ?? -1) < 0 ? ['code'] : []),
          ]
          if (archived.length === 0) return []
          const todo =
            keeper.enabled && keeper.autoRestore
              ? 'the keeper restores it with its next round; if it does not, run svc upto restore'
              : 'run svc upto restore'
          const message = `the ${archived.join(' and ')} of the settlement contract ${contract} must be restored: until then no payment of the scheme upto can be verified or settled; ${todo}`
          return [{ message, contract: UPTO_ALIAS }]
        }),
    ),
  },
  {
    code: 'upto_ttl_keeper_failed',
    severity: 'warning',
    when: 'the last round of the keeper, which extends and restores the settlement contract, failed',
    find: where(({ contract, keeper }) => {
      const error = keeper.enabled ? keeper.state.value?.error : undefined
      return once(
        error !== undefined &&
          `the keeper of the settlement contract ${contract} failed: ${error}; svc upto status shows what the contract needs, and svc upto extend and restore do it by hand`,
      )
    }),
  },
]
