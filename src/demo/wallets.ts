import { Keypair } from '@stellar/stellar-sdk'
import { DemoFailure } from './demo-failure.ts'

export interface Wallet {
  readonly address: string
  readonly secret: string
}

/** The three accounts of the demo. The sponsor holds lumens only. */
export interface Wallets {
  readonly sponsor: Wallet
  readonly buyer: Wallet
  readonly seller: Wallet
}

/** What they start with, in whole USDC. The seller's makes its trustline. */
const BUYER_USDC = '10'
const SELLER_USDC = '1'

export function newWallet(): Wallet {
  const keys = Keypair.random()
  return { address: keys.publicKey(), secret: keys.secret() }
}

/** Makes the accounts and funds them at the network's public doors, as any user would. */
export async function fundedWallets(networkUrl: string, signal: AbortSignal): Promise<Wallets> {
  const wallets = { sponsor: newWallet(), buyer: newWallet(), seller: newWallet() }
  const usdc = (wallet: Wallet, amount: string) =>
    ask(`${networkUrl}/faucet?addr=${wallet.address}&asset=USDC&amount=${amount}`, signal)
  await Promise.all([
    ask(`${networkUrl}/friendbot?addr=${wallets.sponsor.address}`, signal),
    usdc(wallets.buyer, BUYER_USDC),
    usdc(wallets.seller, SELLER_USDC),
  ])
  return wallets
}

async function ask(url: string, signal: AbortSignal): Promise<void> {
  const response = await fetch(url, { signal })
  if (response.ok) return
  throw new DemoFailure(`${url} answered ${response.status}: ${await response.text()}`)
}
