/** The ledger as its RPC shows it: funds for payers, and the transfers that were made. */
import { Address, scValToNative, xdr } from '@stellar/stellar-sdk'
import { usdcContracts } from '../../../../src/platform/core/caip2.ts'

export interface LedgerTransfer {
  readonly from: string
  readonly amount: string
  /** Of the transaction, hex. */
  readonly hash: string
}

interface Event {
  readonly txHash: string
  readonly topic: readonly string[]
  readonly value: string
}

interface EventsPage {
  readonly events: readonly Event[]
  readonly cursor: string
}

const PAGE = 1_000

/** Pays whole USDC from the faucet of the embedded network; creates the account and its trustline. */
export async function fundUsdc(rpcUrl: string, address: string, amount: number): Promise<void> {
  const response = await fetch(`${rpcUrl}/faucet?addr=${address}&asset=USDC&amount=${amount}`)
  if (!response.ok) {
    throw new Error(`The faucet of ${rpcUrl} refused ${address}: ${await response.text()}`)
  }
}

export async function latestLedger(rpcUrl: string): Promise<number> {
  const { sequence } = await call<{ sequence: number }>(rpcUrl, 'getLatestLedger')
  return sequence
}

/** Every transfer of USDC in the ledgers from `startLedger` on. */
export async function transfersFrom(
  rpcUrl: string,
  startLedger: number,
): Promise<readonly LedgerTransfer[]> {
  const transfer = xdr.ScVal.scvSymbol('transfer').toXdr('base64')
  const filters = [
    {
      type: 'contract',
      contractIds: [usdcContracts['stellar:testnet']],
      topics: [[transfer, '**']],
    },
  ]
  const found: Event[] = []
  let position: object = { startLedger, pagination: { limit: PAGE } }
  for (;;) {
    const page: EventsPage = await call(rpcUrl, 'getEvents', { filters, ...position })
    found.push(...page.events)
    if (page.events.length < PAGE) return found.map(transferOf)
    position = { pagination: { limit: PAGE, cursor: page.cursor } }
  }
}

function transferOf({ txHash, topic, value }: Event): LedgerTransfer {
  const from = Address.fromScVal(xdr.ScVal.fromXdr(String(topic[1]), 'base64')).toString()
  const data = scValToNative(xdr.ScVal.fromXdr(value, 'base64'))
  const amount = typeof data === 'bigint' ? data : BigInt(Object(data).amount)
  return { from, amount: String(amount), hash: txHash }
}

async function call<Result>(rpcUrl: string, method: string, params?: object): Promise<Result> {
  const response = await fetch(rpcUrl, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, ...(params && { params }) }),
  })
  const { result, error } = Object(await response.json())
  if (error !== undefined) throw new Error(`${method} of ${rpcUrl} failed: ${error.message}`)
  return result
}
