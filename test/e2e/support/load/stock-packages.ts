/** Loads stock packages from a folder of their own, not those that this project depends on. */
import { createRequire } from 'node:module'
import { join } from 'node:path'

/** The modules that a seller and a buyer need; the types are those of the line that the project itself installs. */
export interface StockPackages {
  readonly express: typeof import('express')
  readonly fetch: typeof import('@x402/fetch')
  readonly middleware: typeof import('@x402/express')
  readonly stellar: typeof import('@x402/stellar')
  readonly stellarClient: typeof import('@x402/stellar/exact/client')
  readonly stellarServer: typeof import('@x402/stellar/exact/server')
  readonly server: typeof import('@x402/core/server')
}

export function stockPackages(folder: string): StockPackages {
  const load = createRequire(join(folder, 'package.json'))
  return {
    express: load('express'),
    fetch: load('@x402/fetch'),
    middleware: load('@x402/express'),
    stellar: load('@x402/stellar'),
    stellarClient: load('@x402/stellar/exact/client'),
    stellarServer: load('@x402/stellar/exact/server'),
    server: load('@x402/core/server'),
  }
}
