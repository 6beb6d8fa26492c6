import { Keypair } from '@stellar/stellar-sdk'
import { type LocalnetServer, startLocalnetServer } from '../../../src/localnet/server/server.ts'
import { usdcContracts } from '../../../src/platform/core/caip2.ts'

export const USDC_CONTRACT = usdcContracts['stellar:testnet']
export const UPTO_CONTRACT = 'CAKRVLDLN5DUGADHEQ55ZTDTLFRDKXU7HEGZ7L4UQIVFUJFKFU7YJNPY'

/** A network that closes ledgers on demand, with a source, a payer and a payee. */
export interface World extends AsyncDisposable {
  readonly server: LocalnetServer
  readonly source: Keypair
  /** Holds 100 USDC. */
  readonly payer: Keypair
  /** Holds no USDC, and has a trustline. */
  readonly payee: Keypair
}

export async function createWorld(): Promise<World> {
  const server = await startLocalnetServer({ closeEveryMs: 'manual' })
  const [source, payer, payee] = [Keypair.random(), Keypair.random(), Keypair.random()]
  await server.pay({ address: source.publicKey(), asset: 'XLM', amount: 1000_0000000n })
  await server.pay({ address: payer.publicKey(), asset: 'USDC', amount: 100_0000000n })
  await server.pay({ address: payee.publicKey(), asset: 'USDC', amount: 1n })
  return { server, source, payer, payee, [Symbol.asyncDispose]: () => server.close() }
}

export interface RpcReply {
  readonly result?: Record<string, unknown>
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown }
}

/** One JSON-RPC call over HTTP, without an SDK. */
export async function callRpc(url: string, method: string, params?: unknown): Promise<RpcReply> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const reply: RpcReply = JSON.parse(await response.text())
  return reply
}
