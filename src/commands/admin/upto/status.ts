import { type KeeperState, readKeeperState } from '../../../payments/store/upto/keeper-state.ts'
import { namesOf, presentEntries } from '../../../payments/upto-keeper/plan-keeping.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { UptoConfig } from '../../../settings/sections/upto-settings.ts'
import {
  type ContractEntries,
  readContractEntries,
} from '../../../stellar/contracts/contract-entries.ts'
import { UPTO_CODE_HASH } from '../../../stellar/contracts/upto-code-hash.ts'
import type { Row } from '../../command-line/person-table.ts'
import type { AdminReport, AdminTask } from '../admin-command.ts'
import { noContract } from './keep.ts'
import { untilOf } from './until.ts'

/** Reads; writes nothing. */
export async function uptoStatus(task: AdminTask): Promise<AdminReport> {
  const { network, sponsors, rpc, signal } = task
  const { id, upto } = network
  if (!upto) return { facts: { contract: null }, problems: [noContract(id)] }
  const { contract } = upto
  const authority = sponsors.keys.authority(id).address
  const [entries, accounts, state] = await Promise.all([
    readContractEntries(rpc, contract, signal),
    rpc.accounts([authority], signal),
    storedState(task, contract),
  ])
  const isShipped = entries.wasmHash === UPTO_CODE_HASH
  const facts = {
    contract,
    wasmHash: entries.wasmHash ?? null,
    isShippedWasm: entries.wasmHash === undefined ? null : isShipped,
    instanceTtlLedgers: entries.instance?.ttl ?? null,
    codeTtlLedgers: entries.code?.ttl ?? null,
    authority: { address: authority, present: accounts.has(authority) },
    keeper: {
      ...upto.keeper,
      checkedAt: state?.checkedAt ?? null,
      plan: state?.plan ?? null,
      lastAction: state?.lastAction ?? null,
      error: state?.error ?? null,
    },
  }
  const rows: readonly Row[] = [
    ['contract', contract],
    ['runs', codeOf(entries, isShipped)],
    ['instance', untilOf(entries.instance?.ttl)],
    ['code', untilOf(entries.code?.ttl)],
    ['authority', `${authority}${accounts.has(authority) ? '' : ', not on the ledger yet'}`],
    ['keeper', keeperOf(upto)],
    ...stateRows(state),
  ]
  return { facts, rows, problems: problemsOf({ network: id, contract, entries }, state) }
}

/** Undefined too for a store whose schema is older, or in memory. */
async function storedState(
  { store, network }: AdminTask,
  contract: string,
): Promise<KeeperState | undefined> {
  if (!store || (await store.pendingMigrations()).length > 0) return undefined
  return readKeeperState(store.db, network.id, contract)
}

function codeOf({ instance, wasmHash }: ContractEntries, isShipped: boolean): string {
  if (!instance) return 'nothing: there is no such contract'
  if (wasmHash === undefined) return 'no Wasm code'
  return isShipped
    ? 'the code of this version'
    : `other code than that of this version: ${wasmHash}`
}

function keeperOf({ keeper }: UptoConfig): string {
  const { enabled, autoRestore, floorLedgers, targetLedgers } = keeper
  if (!enabled) return 'off: UPTO_KEEPER_ENABLED=false'
  const restores = autoRestore ? 'restores what is archived' : 'does not restore'
  return `extends below ${floorLedgers} ledgers to ${targetLedgers}, ${restores}`
}

function stateRows(state: KeeperState | undefined): readonly Row[] {
  if (!state) return [['checked', 'never, as far as the store shows']]
  const { checkedAt, lastAction, plan, error } = state
  return [
    ['checked', checkedAt ? checkedAt.toISOString() : 'never'],
    [
      'last action',
      lastAction
        ? `${lastAction.action} at ${lastAction.at.toISOString()}, transaction ${lastAction.transaction}`
        : 'none',
    ],
    ...(plan === undefined ? [] : ([['plan', plan]] as const)),
    ...(error === undefined ? [] : ([['error', error]] as const)),
  ]
}

function problemsOf(
  facts: {
    readonly network: NetworkId
    readonly contract: string
    readonly entries: ContractEntries
  },
  state: KeeperState | undefined,
): readonly string[] {
  const present = presentEntries(facts)
  if ('error' in present) return [present.error]
  const archived = present.filter(({ ttl }) => ttl < 0)
  if (archived.length > 0) {
    return [
      `the network has archived ${namesOf(archived)} of ${facts.contract}: svc upto restore restores it`,
    ]
  }
  return state?.error === undefined ? [] : [`the keeper ${state.error}`]
}
