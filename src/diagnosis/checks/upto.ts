/** Whether the scheme `upto` can be settled: its authority, its contract and the keeper of that. */
import { unlockedBalance } from '../../payments/channels/minimum-balance.ts'
import { formatXlm } from '../../platform/core/amounts/stroops.ts'
import { variablePrefixes } from '../../platform/core/caip2.ts'
import type { NetworkFacts } from '../facts/facts.ts'
import type { UptoLedgerFacts } from '../facts/read-upto.ts'
import type { CheckName } from './check-names.ts'
import { type Diagnosis, ok, problem, warning } from './diagnosis.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'

type NetworkCheck = DoctorCheck<CheckName, NetworkFacts>

const AGAIN = 'run the command again; see whether the endpoint is overloaded'

const withUpto = (
  { upto }: NetworkFacts,
  check: (facts: UptoLedgerFacts, contract: string) => Diagnosis,
): Diagnosis =>
  upto
    ? checkFetched(upto.ledger, AGAIN, (facts) => check(facts, upto.contract))
    : ok('the scheme upto is not served')

const authority: NetworkCheck = {
  name: 'upto-authority',
  needs: ['rpc', 'rpc-network'],
  run: (facts) =>
    withUpto(facts, ({ authority: address, account, missingEarlier, missingNext }) => {
      const create = 'svc provision creates it, a ChannelPool does so by itself'
      if (!account) return problem(`${address} is not on the ledger`, create)
      const [earlier] = missingEarlier
      if (earlier !== undefined) {
        const variable = `${variablePrefixes[facts.network.id]}PREVIOUS_SPONSOR_SECRET`
        return problem(
          `${earlier}, of the previous sponsor, is not on the ledger`,
          `${create}; or unset ${variable} when nothing that was signed for it is under way`,
        )
      }
      const spendable = unlockedBalance(account)
      if (spendable > 0n) {
        return warning(
          `${address} can spend ${formatXlm(spendable)} and should have nothing`,
          'find out who sent it; svc retire returns it to the sponsor',
        )
      }
      if (missingNext !== undefined) {
        return warning(
          `${missingNext}, of the next sponsor, is not on the ledger`,
          'create it before a replica gets the seed of the next sponsor as its own: svc provision with that seed does',
        )
      }
      return ok(`${address} exists and has nothing to spend`)
    }),
}

const contract: NetworkCheck = {
  name: 'upto-contract',
  needs: ['rpc', 'rpc-network'],
  run: (facts) =>
    withUpto(facts, ({ entries: { instance, wasmHash, code } }, id) => {
      const variable = `${variablePrefixes[facts.network.id]}UPTO_CONTRACT`
      const deploy = `correct ${variable}, or set it to what svc upto deploy creates`
      if (!instance) return problem(`${id} is not on this network`, deploy)
      const known = facts.upto?.knownWasm
      if (wasmHash !== known) {
        const runs = wasmHash === undefined ? 'no Wasm code' : `the code ${wasmHash}`
        return problem(`${id} runs ${runs}, this version knows ${known}`, deploy)
      }
      const archived = [
        ...(instance.ttl < 0 ? ['instance'] : []),
        ...(code && code.ttl >= 0 ? [] : ['code']),
      ]
      if (archived.length > 0) {
        return problem(`${archived.join(' and ')} of ${id}: archived`, 'svc upto restore')
      }
      return ok(
        `${id} runs the code of this version; TTL in ledgers: instance ${instance.ttl}, code ${code?.ttl}`,
      )
    }),
}

const keeper: NetworkCheck = {
  name: 'upto-keeper',
  needs: ['schema'],
  run: ({ stored, upto, network }) => {
    if (!upto) return ok('the scheme upto is not served')
    return checkFetched(stored, 'run the command again', ({ keeper: state }) => {
      if (network.upto?.keeper.enabled === false) {
        return warning(
          'off: nothing extends the TTL of the settlement contract',
          'set UPTO_KEEPER_ENABLED=true, or run svc upto extend in time',
        )
      }
      if (state?.error !== undefined) return warning(state.error, 'svc upto status')
      if (!state?.checkedAt) return ok('has not run yet: the service runs it')
      const last = state.lastAction
      return ok(
        `read the TTLs at ${state.checkedAt.toISOString()}; ${
          last
            ? `last action: ${last.action} at ${last.at.toISOString()}`
            : 'nothing had to be done so far'
        }`,
      )
    })
  },
}

export const uptoChecks: readonly NetworkCheck[] = [authority, contract, keeper]
