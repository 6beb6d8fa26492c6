import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { stayOnThisMachine } from '../../src/demo/this-machine-only.ts'
import { newWallet, type Wallet } from '../../src/demo/wallets.ts'
import { PaymentMaker } from './payment-maker.ts'

/** Where a network answers. */
export interface NetworkAddresses {
  readonly rpcUrl: string
  readonly httpsUrl: string
  /** Of the authority behind `httpsUrl`. */
  readonly caFile: string
}

export interface People {
  readonly maker: PaymentMaker
  /** Secrets; both have lumens. */
  readonly oursSponsor: string
  readonly stockSponsor: string
}

const trustedAnyway = tls.getCACertificates('default')

const PAYERS = 25
const SELLERS = 5

/** Reads the line with which `svc localnet` says that it is ready. */
export function addressesOf(ready: Record<string, unknown>): NetworkAddresses {
  const { rpcUrl, httpsUrl, caFile } = ready as Record<string, string>
  if (!rpcUrl || !httpsUrl || !caFile) throw new Error('the network said nothing of its addresses')
  return { rpcUrl, httpsUrl, caFile }
}

/** Funds everybody at the network's public doors; resolves when the ledger has it. */
export async function openPeople(
  { rpcUrl, httpsUrl, caFile }: NetworkAddresses,
  signedForSeconds?: number,
): Promise<People> {
  // The stock client asks Horizon for each payment, and wants https of its RPC.
  stayOnThisMachine()
  // The authorities of two networks bear one name: only the newest may be known by it.
  tls.setDefaultCACertificates([...trustedAnyway, readFileSync(caFile, 'utf8')])
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
  return { maker, oursSponsor, stockSponsor }
}

const wallets = (count: number): Wallet[] => Array.from({ length: count }, newWallet)

async function get(url: string): Promise<void> {
  const response = await fetch(url)
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${await response.text()}`)
  await response.body?.cancel()
}
