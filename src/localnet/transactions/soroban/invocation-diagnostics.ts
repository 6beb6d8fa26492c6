import type { InvokeOutput } from '../../soroban/invoke.ts'
import type { MetaVersion } from '../apply/meta.ts'
import { coreMetrics } from './core-metrics.ts'
import { type Diagnostic, diagnosticEvent, hostFunctionFailed } from './diagnostics.ts'

interface InvocationEnd {
  /** stellar-core's own error. */
  readonly diagnostic: Diagnostic | undefined
  readonly successful: boolean
  readonly metaVersion: MetaVersion
}

/**
 * DiagnosticEvent XDR each: the host's events, after a failure of the host `host_fn_failed`, then
 * stellar-core's own error, and the metrics last. In meta version 3, before protocol 23, the metrics
 * come before stellar-core's error.
 */
export function invocationDiagnostics(
  output: InvokeOutput,
  { diagnostic, successful, metaVersion }: InvocationEnd,
): Uint8Array[] {
  const failure = 'failure' in output ? output.failure : undefined
  const host = [...output.diagnostics, ...(failure ? [hostFunctionFailed(failure.scVal)] : [])]
  const error = diagnostic ? [diagnosticEvent(diagnostic)] : []
  const metrics = coreMetrics({ ...output, successful })
  return metaVersion === 3 ? [...host, ...metrics, ...error] : [...host, ...error, ...metrics]
}
