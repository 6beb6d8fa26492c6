import { z } from 'zod'
import type { RpcContext } from './context.ts'
import { readParams, uint32, xdrFormat } from './params.ts'
import { RpcFault } from './rpc-fault.ts'

const Request = z.object({
  startLedger: uint32.nullish(),
  pagination: z.object({ cursor: z.string().nullish(), limit: z.int().min(0).nullish() }).nullish(),
  xdrFormat,
})

export interface PageRequest {
  readonly startLedger: number
  readonly cursor: string
  readonly limit: number
  readonly xdrFormat: string | null | undefined
}

export interface PageLimits {
  readonly max: number
  readonly default: number
}

/** Reads the parameters of getTransactions and getLedgers; throws Stellar RPC's errors. */
export function readPageRequest(
  { network }: RpcContext,
  params: unknown,
  limits: PageLimits,
): PageRequest {
  const request = readParams(Request, params)
  const startLedger = request.startLedger ?? 0
  const cursor = request.pagination?.cursor ?? ''
  const limit = request.pagination?.limit || limits.default
  const { oldest, latest } = network
  const isOutside = startLedger < oldest.sequence || startLedger > latest.sequence
  if (cursor !== '' && startLedger !== 0) {
    throw invalid(`startLedger (${startLedger}) and cursor (${cursor}) cannot both be set`)
  }
  if (cursor === '' && isOutside) {
    throw invalid(
      `start ledger (${startLedger}) must be between the oldest ledger: ${oldest.sequence} and the latest ledger: ${latest.sequence} for this rpc instance`,
    )
  }
  if (limit > limits.max) throw invalid(`limit must not exceed ${limits.max}`)
  return { startLedger, cursor, limit, xdrFormat: request.xdrFormat }
}

const invalid = (message: string): RpcFault => new RpcFault('invalidRequest', message)
