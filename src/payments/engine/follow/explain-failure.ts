import type { Store } from '../../../platform/database/open.ts'
import {
  diagnoseOnLedger,
  type FailedTransaction,
  type LedgerFailure,
} from '../../causes/ledger-failure.ts'
import { findSettlement } from '../../store/settlements/find.ts'
import type { SettlementKey } from '../../store/settlements/settlement.ts'
import type { ServedNetwork } from '../network/served-network.ts'

/**
 * Names the cause of a settlement's failure on the ledger. Reads the payment from its row, since the
 * process that follows a settlement need not be the one that received the request. Undefined when there
 * is no row.
 */
export async function explainFailure(
  { db }: Store,
  { policy }: ServedNetwork,
  key: SettlementKey,
  applied: FailedTransaction,
): Promise<LedgerFailure | undefined> {
  const settlement = await findSettlement(db, key)
  if (!settlement) return undefined
  const { scheme, asset: contract, payTo } = settlement.facts
  const asset = policy.assets.get(contract) ?? { contract, symbol: contract, decimals: 0 }
  const payment = { payer: key.payer, payTo, asset }
  return diagnoseOnLedger({ payment, scheme, policy }, applied)
}
