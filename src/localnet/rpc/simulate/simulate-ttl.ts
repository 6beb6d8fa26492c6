import { xdr } from '@stellar/stellar-sdk'
import type { Localnet } from '../../network.ts'
import type { TtlOperation } from '../../soroban/ttl.ts'
import { latestLedgerContext } from '../context.ts'
import type { XdrFields } from '../reads/xdr-fields.ts'
import type { SimulationPlan } from './simulation-plan.ts'

/**
 * Simulates ExtendFootprintTTL or RestoreFootprint. Archived entries cannot be extended: the answer then
 * has a `restorePreamble`, and simulates the extension after that restoration.
 */
export function simulateTtl(
  network: Localnet,
  { keys, ...operation }: Exclude<SimulationPlan, { kind: 'invoke' }>,
  fields: XdrFields,
) {
  const encodedKeys = keys.map((key) => key.toXdr())
  const archived = operation.kind === 'extend' ? archivedOf(network, encodedKeys) : []
  const answer = { latestLedger: network.latest.sequence }
  if (archived.length === 0)
    return { ...costs(simulate(network, operation, encodedKeys), fields), ...answer }
  const restoration = simulate(network, { kind: 'restore' }, archived)
  const extension = network.withRestored(
    network.host.applyTtl({
      ledger: latestLedgerContext(network),
      operation: { kind: 'restore' },
      resources: restoration.resources.toXdr(),
      transactionSize: 0,
    }),
    () => simulate(network, operation, encodedKeys),
  )
  return { ...costs(extension, fields), restorePreamble: costs(restoration, fields), ...answer }
}

const simulate = (network: Localnet, operation: TtlOperation, keys: readonly Uint8Array[]) =>
  xdr.SorobanTransactionData.fromXdr(
    network.host.simulateTtl({ ledger: latestLedgerContext(network), operation, keys }),
  )

const costs = (data: xdr.SorobanTransactionData, fields: XdrFields) => ({
  ...fields.one(
    ['transactionData', 'transactionDataJson'],
    xdr.SorobanTransactionData,
    data.toXdr(),
  ),
  minResourceFee: String(data.resourceFee),
})

const archivedOf = (network: Localnet, keys: readonly Uint8Array[]): readonly Uint8Array[] =>
  keys.filter((key) => {
    const { liveUntil } = network.entry(key) ?? {}
    return liveUntil !== undefined && liveUntil < network.latest.sequence
  })
