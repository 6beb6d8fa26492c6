/** The stock clients of both lines that the tests install. */
import { createRequire } from 'node:module'
import type { x402Client } from '@x402/fetch'
import { usdc } from '../payments.ts'
import type { Account } from './stock-client.ts'

interface Packages {
  readonly fetch: typeof import('@x402/fetch')
  readonly stellar: typeof import('@x402/stellar')
  readonly scheme: typeof import('@x402/stellar/exact/client')
}

export interface ClientLine {
  /** Of `@x402/fetch`. */
  readonly version: string
  /** A client that reads the network through this RPC. */
  client(rpcUrl: string, account: Account): x402Client
}

const fixtures = new URL('../../fixtures/', import.meta.url)

function lineOf(folder: string): ClientLine {
  const load = createRequire(new URL(`${folder}/package.json`, fixtures))
  const packages: Packages = {
    fetch: load('@x402/fetch'),
    stellar: load('@x402/stellar'),
    scheme: load('@x402/stellar/exact/client'),
  }
  return {
    version: load('./package.json').dependencies['@x402/fetch'],
    client(rpcUrl, { secret }) {
      const signer = packages.stellar.createEd25519Signer(secret, 'stellar:testnet')
      const scheme = Object.assign(
        new packages.scheme.ExactStellarScheme(signer, { url: rpcUrl }),
        // The newest line pays in default assets only, and @x402/stellar 2.9.0 does not name its own.
        { findDefaultAsset: () => ({ asset: usdc, symbol: 'USDC', decimals: 7 }) },
      )
      return new packages.fetch.x402Client().register('stellar:testnet', scheme)
    },
  }
}

export const clientLines: readonly ClientLine[] = ['stock-2.9', 'stock-newest'].map(lineOf)
