/** Whether the scheme `upto` can be settled: its authority, its contract and the keeper of that. */
import { spendableOf } from '../../payments/channels/minimum-balance.ts'
import { formatXlm } from '../../platform/core/amounts/stroops.ts'
import { variablePrefixes } from '../../platform/core/caip2.ts'
import { UPTO_CODE_HASH } from '../../stellar/contracts/upto-code-hash.ts'
import type { DoctorFacts, UptoLedgerFacts } from '../facts/doctor-facts.ts'
import type { NetworkFacts, UptoFacts } from '../facts/facts.ts'
import { UPTO_ALIAS } from '../facts/watched-contracts.ts'
import { networkCheck } from './check.ts'
import type { Finding, Found, Problem, ReadProblem } from './problem.ts'

const where =
  (find: (upto: UptoFacts, facts: NetworkFacts) => Found) =>
  (facts: NetworkFacts): Found =>
    facts.upto && find(facts.upto, facts)

type OfLedger = ReadProblem<UptoLedgerFacts, DoctorFacts>

const authorityMissing: Problem = {
  name: 'upto-authority-missing',
  health: 'upto_authority_missing',
  doctor: 'problem',
  find: where(({ authority: { address, account }, missingEarlier }, { id }) => [
    ...(account.value?.kind === 'missing'
      ? [
          {
            says: `the settlement authority ${address} is not on the ledger: no payment of the scheme upto can be settled`,
            todo: 'create it with svc provision, or see that the sponsor has 1 XLM for its ChannelPool to do so',
          },
        ]
      : []),
    ...missingEarlier.map((earlier) => ({
      says: `the settlement authority ${earlier} of the previous sponsor is not on the ledger: what buyers signed for it cannot be settled`,
      todo: `create it with svc provision, or take ${variablePrefixes[id]}PREVIOUS_SPONSOR_SECRET out once nothing signed for it is under way`,
    })),
  ]),
}

const authorityFunded: Problem = {
  name: 'upto-authority-funded',
  health: 'upto_authority_funded',
  doctor: 'warning',
  find: where(
    ({
      authority: {
        address,
        account: { value },
      },
    }) => {
      if (value?.kind !== 'known' || spendableOf(value) <= 0n) return undefined
      return {
        says: `the settlement authority ${address} can spend ${formatXlm(spendableOf(value))} and should have nothing`,
        todo: 'find out who sent it; svc retire returns it to the sponsor, and svc provision creates the authority again',
      }
    },
  ),
}

const authorityHoldsTokens: Problem = {
  name: 'upto-authority-holds-tokens',
  health: 'upto_authority_holds_tokens',
  find: where(
    ({
      authority: {
        address,
        tokens: { value = [] },
      },
    }) => {
      if (value.length === 0) return undefined
      const held = value.map(
        ({ symbol, contract, balance }) => `${balance} base units of ${symbol} (${contract})`,
      )
      return {
        says: `the settlement authority ${address} holds ${held.join(', ')} and should hold nothing`,
        todo: "svc moves none of it; find out who sent it, and whether somebody else has the sponsor's seed, since a trustline needs the authority's signature",
      }
    },
  ),
}

const nextAuthorityMissing: OfLedger = {
  name: 'upto-next-authority-missing',
  doctor: 'warning',
  findIn: ({ missingNext }) =>
    missingNext === undefined
      ? undefined
      : {
          says: `${missingNext}, of the next sponsor, is not on the ledger`,
          todo: 'create it before a replica gets the seed of the next sponsor as its own: svc provision with that seed does',
        },
}

const deploy = (id: keyof typeof variablePrefixes): string =>
  `correct ${variablePrefixes[id]}UPTO_CONTRACT, or set it to what svc upto deploy creates`

const contractMissing: OfLedger = {
  name: 'upto-contract-missing',
  doctor: 'problem',
  findIn: ({ entries }, { upto, id }) =>
    entries.instance
      ? undefined
      : { says: `${upto?.contract} is not on this network`, todo: deploy(id) },
}

const contractUnknown: OfLedger = {
  name: 'upto-contract-unknown',
  doctor: 'problem',
  findIn: ({ entries: { wasmHash } }, { upto, id }) => {
    if (wasmHash === UPTO_CODE_HASH) return undefined
    const runs = wasmHash === undefined ? 'no Wasm code' : `the code ${wasmHash}`
    return {
      says: `${upto?.contract} runs ${runs}, this version knows ${UPTO_CODE_HASH}`,
      todo: deploy(id),
    }
  },
}

const contractArchived: Problem = {
  name: 'upto-contract-archived',
  health: 'upto_contract_restore_required',
  doctor: 'problem',
  find: where(({ contract, ttl, keeper }) => {
    if (typeof ttl?.instanceTtl !== 'number') return undefined
    const archived = [
      ...(ttl.instanceTtl < 0 ? ['instance'] : []),
      ...((ttl.codeTtl ?? -1) < 0 ? ['code'] : []),
    ]
    if (archived.length === 0) return undefined
    return {
      says: `the ${archived.join(' and ')} of the settlement contract ${contract} must be restored: until then no payment of the scheme upto can be verified or settled`,
      todo:
        keeper.enabled && keeper.autoRestore
          ? 'the keeper restores it with its next round; if it does not, run svc upto restore'
          : 'run svc upto restore',
      contract: UPTO_ALIAS,
    }
  }),
}

const keeperOff: Problem = {
  name: 'upto-keeper-off',
  doctor: 'warning',
  find: where(({ keeper }) =>
    keeper.enabled
      ? undefined
      : {
          says: 'off: nothing extends the TTL of the settlement contract',
          todo: 'set UPTO_KEEPER_ENABLED=true, or run svc upto extend in time',
        },
  ),
}

/** The finding of a failed keeper; a Facilitator's condition has the same message. */
export const keeperFailure = (contract: string, error: string): Finding => ({
  says: `the keeper of the settlement contract ${contract} failed: ${error}`,
  todo: 'svc upto status shows what the contract needs, and svc upto extend and restore do it by hand',
})

const keeperFailed: Problem = {
  name: 'upto-keeper-failed',
  health: 'upto_ttl_keeper_failed',
  doctor: 'warning',
  find: where(({ contract, keeper }) => {
    const error = keeper.enabled ? keeper.state.value?.error : undefined
    return error === undefined ? undefined : keeperFailure(contract, error)
  }),
}

const readUpto = ({ read }: DoctorFacts) => read.upto
const AGAIN = 'run the command again; see whether the endpoint is overloaded'

export const uptoChecks = [
  networkCheck({
    name: 'upto-authority',
    needs: ['rpc', 'rpc-network'],
    read: readUpto,
    again: AGAIN,
    problems: [authorityMissing, authorityFunded, authorityHoldsTokens, nextAuthorityMissing],
    ok: ({ authority }) => `${authority} exists and has nothing to spend`,
  }),
  networkCheck({
    name: 'upto-contract',
    needs: ['rpc', 'rpc-network'],
    read: readUpto,
    again: AGAIN,
    problems: [contractMissing, contractUnknown, contractArchived],
    ok: ({ entries: { instance, code } }, { upto }) =>
      `${upto?.contract} runs the code of this version; TTL in ledgers: instance ${instance?.ttl}, code ${code?.ttl}`,
  }),
  networkCheck({
    name: 'upto-keeper',
    needs: ['schema'],
    read: ({ read }) => read.stored,
    again: 'run the command again',
    problems: [keeperOff, keeperFailed],
    ok: ({ keeper: state }) => {
      if (!state?.checkedAt) return 'has not run yet: the service runs it'
      const last = state.lastAction
      const action = last
        ? `last action: ${last.action} at ${last.at.toISOString()}`
        : 'nothing had to be done so far'
      return `read the TTLs at ${state.checkedAt.toISOString()}; ${action}`
    },
  }),
]
