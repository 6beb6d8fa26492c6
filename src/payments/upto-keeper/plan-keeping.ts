import { type NetworkId, variablePrefixes } from '../../platform/core/caip2.ts'
import type { ContractEntries, ContractEntry } from '../../stellar/contracts/contract-entries.ts'
import type { KeeperOptions } from '../schemes/upto/options.ts'

/** The next step of the keeper; sentences are for administrators, in `/health` and in the log. */
export type KeeperStep =
  | { readonly do: 'nothing' }
  | {
      readonly do: 'extend'
      /** Base64 `LedgerKey`s. */
      readonly keys: readonly string[]
      readonly toLedgers: number
      readonly plan: string
    }
  | { readonly do: 'restore'; readonly keys: readonly string[]; readonly plan: string }
  /** Only an administrator can go on. */
  | { readonly do: 'ask'; readonly plan: string }
  | { readonly do: 'fail'; readonly error: string }

interface KeptFacts {
  readonly network: NetworkId
  readonly contract: string
  readonly entries: ContractEntries
}

/** Decides; touches nothing. What is archived comes first: an extension has no effect on it. */
export function planKeeping(facts: KeptFacts, options: KeeperOptions): KeeperStep {
  const { autoRestore } = options
  const found = presentEntries(facts)
  if ('error' in found) return { do: 'fail', error: found.error }
  const archived = found.filter(({ ttl }) => ttl < 0)
  if (archived.length > 0) {
    const plan = `restore ${namesOf(archived)} of ${facts.contract}, which the network has archived`
    if (autoRestore) return { do: 'restore', keys: keysOf(archived), plan }
    const { [facts.network]: prefix } = variablePrefixes
    return {
      do: 'ask',
      plan: `${plan}: run svc upto restore, or set ${prefix}UPTO_AUTO_RESTORE=true`,
    }
  }
  const { floor, target } = boundsOf(facts.entries, options)
  const low = found.filter(({ ttl }) => ttl < floor)
  if (low.length === 0) return { do: 'nothing' }
  return {
    do: 'extend',
    // Both, so that they stay together and cost one transaction.
    keys: keysOf(found),
    toLedgers: target,
    plan: `extend the TTL of instance and code of ${facts.contract} to ${target} ledgers: ${lowestOf(low)} left, fewer than ${floor}`,
  }
}

/** Floor and target in ledgers, within what the network allows. */
export function boundsOf(
  { maxTtl }: Pick<ContractEntries, 'maxTtl'>,
  { floorLedgers, targetLedgers }: Pick<KeeperOptions, 'floorLedgers' | 'targetLedgers'>,
): { readonly floor: number; readonly target: number } {
  if (targetLedgers <= maxTtl) return { floor: floorLedgers, target: targetLedgers }
  // A floor near the target would be an extension in every round.
  return { floor: Math.min(floorLedgers, Math.floor(maxTtl / 2)), target: maxTtl }
}

export interface NamedEntry extends ContractEntry {
  readonly name: 'instance' | 'code'
}

/** Instance and code, or a sentence that says what is not on the ledger. */
export function presentEntries({
  network,
  contract,
  entries: { instance, code, wasmHash },
}: KeptFacts): readonly NamedEntry[] | { readonly error: string } {
  const variable = `${variablePrefixes[network]}UPTO_CONTRACT`
  if (!instance) {
    return {
      error: `there is no contract ${contract} on ${network}: correct ${variable}, or create a contract with svc upto deploy and name that`,
    }
  }
  if (!code) {
    const what = wasmHash === undefined ? 'runs no Wasm code' : `has no code on ${network}`
    return { error: `the contract ${contract} ${what}: correct ${variable}` }
  }
  return [
    { name: 'instance', ...instance },
    { name: 'code', ...code },
  ]
}

const keysOf = (entries: readonly NamedEntry[]) => entries.map(({ key }) => key)
export const namesOf = (entries: readonly NamedEntry[]) =>
  entries.map(({ name }) => name).join(' and ')

function lowestOf(entries: readonly NamedEntry[]): string {
  const [lowest] = entries.toSorted((a, b) => a.ttl - b.ttl)
  return `the ${lowest?.name} has ${lowest?.ttl}`
}
