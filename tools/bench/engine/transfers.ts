import { scValToNative, xdr } from '@stellar/stellar-sdk'
import { z } from 'zod'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'
import { jsonRpc } from '../../../src/stellar/rpc/transport/json-rpc.ts'

/** A transfer of USDC, from the token's event on the ledger. */
export interface Transfer {
  readonly ledger: number
  /** Hash of its envelope. */
  readonly hash: string
  /** Base units. */
  readonly amount: bigint
}

const PAGE_SIZE = 1_000

const answer = z.object({
  events: z.array(
    z.object({
      ledger: z.number(),
      txHash: z.string(),
      inSuccessfulContractCall: z.boolean(),
      value: z.string(),
    }),
  ),
  cursor: z.string(),
})

/** Every transfer of USDC in the ledgers after `ledger`, from any sender. */
export async function transfersAfter(rpcUrl: string, ledger: number): Promise<Transfer[]> {
  const call = jsonRpc({ url: rpcUrl, allowHttp: true })
  const topic = xdr.ScVal.scvSymbol('transfer').toXdr('base64')
  const contractIds = [usdcContracts['stellar:testnet']]
  const filters = [{ type: 'contract', contractIds, topics: [[topic, '**']] }]
  const transfers: Transfer[] = []
  let position: object = { startLedger: ledger + 1, pagination: { limit: PAGE_SIZE } }
  for (;;) {
    const { events, cursor } = await call('getEvents', { ...position, filters }, answer)
    for (const { ledger: at, txHash, inSuccessfulContractCall, value: valueXdr } of events) {
      if (inSuccessfulContractCall) {
        transfers.push({ ledger: at, hash: txHash, amount: amountIn(valueXdr) })
      }
    }
    if (events.length < PAGE_SIZE) return transfers
    position = { pagination: { limit: PAGE_SIZE, cursor } }
  }
}

const value = z.union([z.bigint(), z.object({ amount: z.bigint() }).transform((it) => it.amount)])

/** The amount, or a map with it and the id of a muxed recipient (CAP-67). */
const amountIn = (valueXdr: string): bigint =>
  value.parse(scValToNative(xdr.ScVal.fromXdr(valueXdr, 'base64')))
