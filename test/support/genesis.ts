import { firstLedger } from '../../src/localnet/genesis.ts'
import { Localnet } from '../../src/localnet/network.ts'
import type { NetworkSnapshot } from '../../src/localnet/snapshot/snapshot.ts'

/** By `ledgerMaxTxCount`, which is in the entries. */
const made = new Map<number | undefined, { snapshot: NetworkSnapshot; maxOperations: number }>()

/**
 * The network at genesis, as if it had begun at this time. Its entries are made once in a process: the host deploys
 * three contracts, which costs more than the rest of a stack.
 */
export async function genesisAt(
  nowMs: number,
  ledgerMaxTxCount?: number,
): Promise<NetworkSnapshot> {
  const { snapshot, maxOperations } = made.get(ledgerMaxTxCount) ?? (await make(ledgerMaxTxCount))
  const { protocol, state } = snapshot
  // A test may change a record in place (ledger-surgery.ts), so each network has its own.
  const entries = snapshot.entries.map(([key, record]) => [key, { ...record }] as const)
  const closeTime = Math.floor(nowMs / 1000)
  const { stateHash } = state
  return { ...snapshot, entries, ...firstLedger({ protocol, closeTime, stateHash, maxOperations }) }
}

async function make(ledgerMaxTxCount: number | undefined) {
  const network = new Localnet(ledgerMaxTxCount === undefined ? {} : { ledgerMaxTxCount })
  const genesis = { snapshot: await network.snapshot(), maxOperations: network.maxOperations }
  made.set(ledgerMaxTxCount, genesis)
  return genesis
}
