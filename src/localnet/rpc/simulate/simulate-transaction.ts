import { xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import { HostCallError } from '../../soroban/host-call-error.ts'
import type { RpcContext } from '../context.ts'
import { readFormat, readParams, uint32, xdrFormat } from '../params.ts'
import { readBase64, type XdrFields, xdrFields } from '../reads/xdr-fields.ts'
import { RpcFault } from '../rpc-fault.ts'
import { type SimulationOptions, simulateInvocation } from './simulate-invocation.ts'
import { simulateTtl } from './simulate-ttl.ts'
import { planSimulation, SimulationRefused } from './simulation-plan.ts'

const Request = z.object({
  transaction: z.string().nullish(),
  authMode: z.string().nullish(),
  useUpgradedAuth: z.boolean().nullish(),
  resourceConfig: z.object({ instructionLeeway: uint32.nullish() }).nullish(),
  xdrFormat,
})
type Request = z.infer<typeof Request>

/**
 * Runs in the latest ledger, with its sequence and close time. The result has a member `error` for an
 * invalid transaction, and for an unknown `xdrFormat`.
 */
export function simulateTransaction(context: RpcContext, params: unknown) {
  const request = readParams(Request, params)
  try {
    return simulate(context, request, xdrFields(readFormat(request.xdrFormat)))
  } catch (error) {
    const isHostError = error instanceof HostCallError
    if (isHostError) return { error: error.message, latestLedger: context.network.latest.sequence }
    const isRefused = error instanceof SimulationRefused || error instanceof RpcFault
    // Refused before a ledger was read: Stellar RPC answers with ledger 0.
    if (isRefused) return { error: error.message, latestLedger: 0 }
    throw error
  }
}

function simulate({ network }: RpcContext, request: Request, fields: XdrFields) {
  const envelope = readBase64(request.transaction ?? '', (bytes) =>
    xdr.TransactionEnvelope.fromXdr(bytes),
  )
  if (!envelope) throw new SimulationRefused('Could not unmarshal transaction')
  const plan = planSimulation(envelope, request.authMode ?? '')
  return plan.kind === 'invoke'
    ? simulateInvocation(network, plan, optionsOf(request), fields)
    : simulateTtl(network, plan, fields)
}

const optionsOf = ({ useUpgradedAuth, resourceConfig }: Request): SimulationOptions => ({
  upgradedAuth: useUpgradedAuth ?? false,
  instructionLeeway: resourceConfig?.instructionLeeway ?? 0,
})
