import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { stayOnThisMachine } from '../../src/demo/this-machine-only.ts'
import { newWallet, type Wallet } from '../../src/demo/wallets.ts'
import { PaymentMaker } from './payment-maker.ts'

/** Addresses of a network. */
export interface NetworkAddresses {
  readonly rpcUrl: string
  readonly httpsUrl: string
  /** Certificate file of the authority behind `httpsUrl`. */
  readonly caFile: string
}

export interface Accounts {
  readonly maker: PaymentMaker
  /** Payers of the maker's payments. */
  readonly payers: readonly Wallet[]
  /** Addresses. */
  readonly sellers: readonly string[]
  /** Secrets; both accounts have XLM. */
  readonly oursSponsor: string
  readonly stockSponsor: string
}

const defaultCertificates = tls.getCACertificates('default')

const PAYERS = 25
const SELLERS = 5

/** Reads the ready line of `svc localnet`. */
export function addressesOf(ready: Record<string, unknown>): NetworkAddresses {
  const { rpcUrl, httpsUrl, caFile } = ready as Record<string, string>
  if (!rpcUrl || !httpsUrl || !caFile) throw new Error('the ready line has no addresses')
  return { rpcUrl, httpsUrl, caFile }
}

/** Funds all accounts through friendbot and the faucet. */
export async function openAccounts(
  { rpcUrl, httpsUrl, caFile }: NetworkAddresses,
  signedForSeconds?: number,
): Promise<Accounts> {
  // The stock client requests Horizon for each payment, and requires https for the RPC.
  stayOnThisMachine()
  // The certificate authorities of two networks have the same name: trust only the newest.
  tls.setDefaultCACertificates([...defaultCertificates, readFileSync(caFile, 'utf8')])
  const [sponsors, payers, sellers] = [wallets(2), wallets(PAYERS), wallets(SELLERS)]
  await Promise.all([
    ...sponsors.map(({ address }) => get(`${rpcUrl}/friendbot?addr=${address}`)),
    ...[...payers, ...sellers].map(({ address }) =>
      get(`${rpcUrl}/faucet?addr=${address}&asset=USDC&amount=1000`),
    ),
  ])
  const [oursSponsor, stockSponsor] = sponsors.map(({ secret }) => secret) as [string, string]
  const addresses = sellers.map(({ address }) => address)
  const maker = new PaymentMaker({
    ...{ rpcUrl: httpsUrl, payers, sellers: addresses },
    ...(signedForSeconds !== undefined && { signedForSeconds }),
  })
  return { maker, payers, sellers: addresses, oursSponsor, stockSponsor }
}

const wallets = (count: number): Wallet[] => Array.from({ length: count }, newWallet)

async function get(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}
