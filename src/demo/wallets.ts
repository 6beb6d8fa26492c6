import { Keypair } from '@stellar/stellar-sdk'
import { textOf } from '../platform/core/errors/read-answer.ts'
import { DemoFailure } from './demo-failure.ts'

export interface Wallet {
  readonly address: string
  readonly secret: string
}

/** The accounts of the demo beside the sponsor, which holds lumens only. */
export interface Wallets {
  readonly buyer: Wallet
  readonly seller: Wallet
}

/** Initial balances in USDC. The seller's payment from the faucet creates its trustline. */
const BUYER_USDC = '10'
const SELLER_USDC = '1'

export function newWallet(): Wallet {
  const keys = Keypair.random()
  return { address: keys.publicKey(), secret: keys.secret() }
}

/** Creates the accounts and funds them from friendbot and faucet, as any user would. */
export async function fundedWallets(
  networkUrl: string,
  sponsor: string,
  signal: AbortSignal,
): Promise<Wallets> {
  const wallets = { buyer: newWallet(), seller: newWallet() }
  const usdc = (wallet: Wallet, amount: string) =>
    request(`${networkUrl}/faucet?addr=${wallet.address}&asset=USDC&amount=${amount}`, signal)
  await Promise.all([
    request(`${networkUrl}/friendbot?addr=${sponsor}`, signal),
    usdc(wallets.buyer, BUYER_USDC),
    usdc(wallets.seller, SELLER_USDC),
  ])
  return wallets
}

async function request(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal })
  if (response.ok) return
  throw new DemoFailure(`${url} answered ${response.status}: ${await textOf(response)}`)
}
