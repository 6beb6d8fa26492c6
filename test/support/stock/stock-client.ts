import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { x402Client } from '@x402/fetch'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/client'
import { stayOnThisMachine } from '../../../src/demo/this-machine-only.ts'
import type { LocalnetServer } from '../../../src/localnet/server/server.ts'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { unit, usdc } from '../stack.ts'

export interface Account {
  readonly address: string
  readonly secret: string
}

/** A new account that can hold USDC and owns one or more. */
export async function accountWithUsdc(localnet: LocalnetServer, amount = 1n): Promise<Account> {
  const seed = randomBytes(32)
  const { address } = signerFromSeed(seed)
  await localnet.pay({ address, asset: 'USDC', amount: amount * unit })
  return { address, secret: secretOfSeed(seed) }
}

/**
 * Lets this process talk to the network's https as a client started with NODE_EXTRA_CA_CERTS does,
 * and keeps the stock client from asking the public Horizon. Only the network reached last is
 * trusted: every network's authority has the same name, and TLS looks authorities up by name.
 */
export function reach({ caFile }: LocalnetServer): void {
  if (caFile === undefined) throw new Error('the network serves no https')
  tls.setDefaultCACertificates([...tls.getCACertificates('bundled'), readFileSync(caFile, 'utf8')])
  stayOnThisMachine()
}

/** The stock client of 2.9.0 with the key of one payer. */
export function stockClient({ rpcUrl }: LocalnetServer, { secret }: Account): x402Client {
  const signer = createEd25519Signer(secret, 'stellar:testnet')
  return new x402Client().register(
    'stellar:testnet',
    new ExactStellarScheme(signer, { url: rpcUrl }),
  )
}

/** The requirements of a seller who charges 0.01 USDC. */
export const priceFor = (
  payTo: string,
  changes: Partial<PaymentRequirements> = {},
): PaymentRequirements => ({
  scheme: 'exact',
  network: 'stellar:testnet',
  amount: '100000',
  asset: usdc,
  payTo,
  maxTimeoutSeconds: 60,
  extra: { areFeesSponsored: true },
  ...changes,
})

/** A payment as the stock client signs it for a price. */
export const payloadFor = (
  client: x402Client,
  price: PaymentRequirements,
): Promise<PaymentPayload> =>
  client.createPaymentPayload({
    x402Version: 2,
    resource: { url: 'http://127.0.0.1/weather', description: '', mimeType: 'application/json' },
    accepts: [price],
  })
