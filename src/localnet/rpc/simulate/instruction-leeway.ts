import { xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../network.ts'
import { latestLedgerContext } from '../context.ts'

/**
 * Raises the declared instructions to at least `measured + leeway`, and the fee by what those
 * instructions cost. The simulation already declares slightly more than it measured.
 */
export function withInstructionLeeway(
  network: Localnet,
  measured: number,
  transactionData: Uint8Array,
  leeway: number,
): xdr.SorobanTransactionData {
  const data = xdr.SorobanTransactionData.fromXdr(transactionData)
  const { resources } = data
  const instructions = Math.min(measured + leeway, 0xffff_ffff)
  if (instructions <= resources.instructions) return data
  const raised = new xdr.SorobanResources({ ...resources, instructions })
  const cost = (declared: xdr.SorobanResources): bigint =>
    network.host.resourceFee({
      ledger: latestLedgerContext(network),
      resources: declared.toXdr(),
      // Cancels out in the difference.
      transactionSize: 0,
    }).nonRefundable
  return new xdr.SorobanTransactionData({
    ext: data.ext,
    resources: raised,
    resourceFee: data.resourceFee + cost(raised) - cost(resources),
  })
}
