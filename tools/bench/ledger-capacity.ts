import type { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../../src/stellar/rpc/rpc.ts'
import {
  declaredResources,
  type LedgerResources,
} from '../../src/stellar/transactions/ledger-resources.ts'
import { readNetworkLimits } from '../../src/stellar/transactions/network-limits.ts'

/** A limited resource of a ledger. */
export interface LedgerCapacity {
  readonly resource: string
  readonly perLedger: number
  /** Used by one settlement. */
  readonly perSettlement: number
}

/** The number of settlements for which the resource suffices. */
export const settlementsPerLedger = ({ perLedger, perSettlement }: LedgerCapacity): number =>
  Math.floor(perLedger / perSettlement)

const labels: readonly (readonly [keyof LedgerResources, string])[] = [
  ['transactions', 'transactions; a fee bump counts as two'],
  ['transactionBytes', 'bytes of transactions, without fee bumps'],
  ['instructions', 'instructions'],
  ['diskReads', 'entries read from disk'],
  ['diskReadBytes', 'bytes read from disk'],
  ['writes', 'entries written'],
  ['writeBytes', 'bytes written'],
]

/** Compares the resources of one settlement, as recorded on the ledger, with the limits of the network. */
export async function ledgerCapacity(
  rpc: StellarRpc,
  settlement: xdr.TransactionEnvelope,
): Promise<LedgerCapacity[]> {
  const { ledger: limits } = await readNetworkLimits(rpc)
  const used = declaredResources(settlement)
  return labels.map(([name, resource]) => ({
    resource,
    perLedger: limits[name],
    perSettlement: used[name],
  }))
}
