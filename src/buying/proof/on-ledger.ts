import { isMetered } from '../../payments/protocol/schemes.ts'
import { isNetworkId } from '../../platform/core/caip2.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import { baseAddress, muxedId } from '../../stellar/accounts/strkey.ts'
import { ledgerRange } from '../../stellar/history/ledger-range.ts'
import { payerTransfers } from '../../stellar/history/payer-transfers.ts'
import { NetworkInfoFailure } from '../../stellar/rpc/network-info.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { rpcClient } from '../../stellar/rpc/rpc-client.ts'
import { jsonRpc } from '../../stellar/rpc/transport/json-rpc.ts'
import { networkProblem } from '../sign/why-not-signed.ts'
import type { SavedProof } from './saved-proof.ts'
import type { Verdict } from './verify.ts'

/** Whether the ledger has the payment: its transaction moved the amount of the asset from the payer to `payTo`. Never throws `RpcError`. */
export async function onLedger(
  proof: SavedProof,
  { rpcUrl, clock }: { readonly rpcUrl: string; readonly clock: Clock },
): Promise<Verdict> {
  const { network, transaction } = proof
  if (transaction === null) return { state: 'unknown', because: 'no transaction is named' }
  if (!isNetworkId(network)) return { state: 'unknown', because: 'the network is not known' }
  try {
    const problem = await networkProblem({ rpcUrl, network, clock })
    if (problem) return { state: 'unknown', because: problem.message }
    return await moved(proof, transaction, rpcUrl)
  } catch (error) {
    if (!(error instanceof RpcError || error instanceof NetworkInfoFailure)) throw error
    return { state: 'unknown', because: `the Stellar RPC cannot say: ${error.message}` }
  }
}

async function moved(proof: SavedProof, hash: string, rpcUrl: string): Promise<Verdict> {
  const status = await rpcClient({ url: rpcUrl }).transaction(hash)
  if (status.status === 'NOT_FOUND')
    return { state: 'unknown', because: 'this RPC has no such transaction; one keeps some days' }
  if (status.status === 'FAILED') return { state: 'invalid', because: 'the transaction failed' }
  const { asset, payer, payTo } = proof
  const call = jsonRpc({ url: rpcUrl })
  const { ledger } = status
  const window = { asset, payer: baseAddress(payer), afterLedger: ledger - 1, lastLedger: ledger }
  const { transfers } = await payerTransfers(call, window, await ledgerRange(call))
  const moves = transfers.find((each) => each.transaction === hash)?.moves ?? []
  const isMade = moves.some(
    (move) =>
      isAmount(proof, move.amount) &&
      move.to === baseAddress(payTo) &&
      (muxedId(payTo) === undefined || move.muxedId === muxedId(payTo)),
  )
  return isMade
    ? { state: 'valid', because: `ledger ${ledger} has the payment` }
    : {
        state: 'invalid',
        because: 'the transaction did not move this amount of this asset from payer to payTo',
      }
}

/** Of a metered payment whose seller did not say what was used, any amount up to the ceiling. */
function isAmount({ scheme, amount, signed }: SavedProof, moved: bigint | undefined): boolean {
  if (moved === undefined) return false
  if (amount !== null) return moved === BigInt(amount)
  return isMetered(scheme) ? moved > 0n && moved <= BigInt(signed) : moved === BigInt(signed)
}
