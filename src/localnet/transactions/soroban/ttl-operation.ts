/** The common part of ExtendFootprintTTL and RestoreFootprint. */
import { entryKey } from '../../ledger/entry-record.ts'
import type { TtlOperation } from '../../soroban/ttl.ts'
import type { ApplyContext } from '../operation.ts'
import { type Diagnostic, diagnosticEvent, resourceExceeded } from './diagnostics.ts'
import { extendTtl } from './footprint.ts'

type TtlResult = 'success' | 'resourceLimitExceeded' | 'insufficientRefundableFee'

export function applyTtl(
  { ltx, ledger, soroban }: ApplyContext,
  operation: TtlOperation,
): TtlResult {
  if (!soroban) throw new Error('a Soroban operation without its resources')
  const { host, hostLedger, data, size, fee } = soroban
  const pushDiagnostic = (diagnostic: Diagnostic) =>
    soroban.output.diagnostics.push(diagnosticEvent(diagnostic))
  const output = hostLedger.within(ltx, () =>
    host.applyTtl({
      ledger,
      operation,
      resources: data.resources.toXdr(),
      transactionSize: size,
    }),
  )
  if (output.outcome === 'resource_limit_exceeded') {
    pushDiagnostic(resourceExceeded(output.exceeded))
    return 'resourceLimitExceeded'
  }
  const shortfall = fee.consume({ rent: output.rentFee, events: 0n })
  if (shortfall) {
    pushDiagnostic(shortfall)
    return 'insufficientRefundableFee'
  }
  for (const { key, newLiveUntil } of output.changes) {
    extendTtl(ltx, {
      key: entryKey(key),
      liveUntil: newLiveUntil,
      ledger: ledger.sequence,
    })
  }
  return 'success'
}
