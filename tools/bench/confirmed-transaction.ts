import { z } from 'zod'
import { jsonRpc } from '../../src/stellar/rpc/transport/json-rpc.ts'

export interface ConfirmedTransaction {
  readonly ledger: number
  /** Base64 XDR. */
  readonly envelopeXdr: string
}

/** Reads a transaction from the ledger; undefined unless it is there and succeeded. */
export type FindTransaction = (hash: string) => Promise<ConfirmedTransaction | undefined>

const answer = z.object({
  status: z.string(),
  ledger: z.number().optional(),
  envelopeXdr: z.string().optional(),
})

export function ledgerAt(rpcUrl: string): FindTransaction {
  const call = jsonRpc({ url: rpcUrl, allowHttp: true })
  return async (hash) => {
    const { status, ledger, envelopeXdr } = await call('getTransaction', { hash }, answer)
    if (status !== 'SUCCESS' || ledger === undefined || envelopeXdr === undefined) return undefined
    return { ledger, envelopeXdr }
  }
}
