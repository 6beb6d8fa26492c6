import { xdr } from '@stellar/stellar-sdk'
import type { StellarRpc } from '../rpc/rpc.ts'
import { simulationEnvelope } from '../transactions/settlement-envelope.ts'
import { readScValue } from '../values/read-sc-value.ts'
import { unauthorizedCall } from './contract-call.ts'

export interface TokenBalance {
  /** Base units. */
  readonly amount: bigint
  /** The ledger at which the holder had it. */
  readonly ledger: number
}

/**
 * Reads the balance of a `G...` or `C...` address from the token's contract (`balance` of SEP-41). Zero when
 * the contract refuses to say: a classic asset's does so for an account without a trustline. Throws `RpcError`
 * when no endpoint answers.
 */
export async function readTokenBalance(
  rpc: Pick<StellarRpc, 'simulate'>,
  contract: string,
  holder: string,
): Promise<TokenBalance> {
  const simulation = await rpc.simulate(
    simulationEnvelope(unauthorizedCall(contract, 'balance', [{ type: 'address', value: holder }])),
  )
  const ledger = simulation.latestLedger
  if (simulation.kind === 'failed' || simulation.returnValueXdr === undefined) {
    return { amount: 0n, ledger }
  }
  const value = readScValue(xdr.ScVal.fromXdr(simulation.returnValueXdr, 'base64'))
  return { amount: value.type === 'i128' ? value.value : 0n, ledger }
}
