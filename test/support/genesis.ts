import { firstLedger } from '../../src/localnet/genesis/genesis.ts'
import { Localnet } from '../../src/localnet/network.ts'
import type { NetworkSnapshot } from '../../src/localnet/snapshot/snapshot.ts'

/** The network at genesis, as if it had begun at this time. */
export type Genesis = (nowMs: number, maxOperations?: number) => NetworkSnapshot

/** By `ledgerMaxTxCount`, which is in the entries. */
const made = new Map<number | undefined, Genesis>()

/**
 * The genesis of testnet. Its entries are made once in a process: the host deploys three contracts, which costs more
 * than the rest of a stack.
 */
export async function genesisOf(ledgerMaxTxCount?: number): Promise<Genesis> {
  const known = made.get(ledgerMaxTxCount)
  if (known) return known
  const network = new Localnet(ledgerMaxTxCount === undefined ? {} : { ledgerMaxTxCount })
  const snapshot = await network.snapshot()
  const { protocol, state } = snapshot
  const genesis: Genesis = (nowMs, maxOperations = network.maxOperations) => {
    // A test may change a record in place (ledger-surgery.ts), so each network has its own.
    const entries = snapshot.entries.map(([key, record]) => [key, { ...record }] as const)
    const closeTime = Math.floor(nowMs / 1000)
    const { stateHash } = state
    return {
      ...snapshot,
      entries,
      ...firstLedger({ protocol, closeTime, stateHash, maxOperations }),
    }
  }
  made.set(ledgerMaxTxCount, genesis)
  return genesis
}

export const genesisAt = async (
  nowMs: number,
  ledgerMaxTxCount?: number,
): Promise<NetworkSnapshot> => (await genesisOf(ledgerMaxTxCount))(nowMs)
