import { z } from 'zod'
import { jsonRpc } from '../../src/stellar/json-rpc.ts'

export interface Landed {
  readonly ledger: number
  /** Base64 XDR. */
  readonly envelopeXdr: string
}

/** Asks the ledger itself about one transaction; undefined unless it is there and succeeded. */
export type AskLedger = (hash: string) => Promise<Landed | undefined>

const answer = z.object({
  status: z.string(),
  ledger: z.number().optional(),
  envelopeXdr: z.string().optional(),
})

export function ledgerAt(rpcUrl: string): AskLedger {
  const call = jsonRpc({ url: rpcUrl, allowHttp: true })
  return async (hash) => {
    const { status, ledger, envelopeXdr } = await call('getTransaction', { hash }, answer)
    if (status !== 'SUCCESS' || ledger === undefined || envelopeXdr === undefined) return undefined
    return { ledger, envelopeXdr }
  }
}
