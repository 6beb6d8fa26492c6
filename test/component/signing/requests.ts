/** Requests to sign settlements, each another one, valid for a minute from now. */
import { TransactionBuilder } from '@stellar/stellar-sdk'
import { passphrases } from '../../../src/platform/core/caip2.ts'
import type { KeyService } from '../../../src/signing/key-service.ts'
import { verifyBytes } from '../../../src/stellar/accounts/ed25519.ts'
import type { SigningRequest } from '../../../src/stellar/accounts/envelope-signer.ts'
import { signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { readClientEnvelope } from '../../../src/stellar/transactions/client-envelope.ts'
import { settlementEnvelope } from '../../support/signing/our-envelopes.ts'
import { transaction } from '../../unit/payments/protocol/payment-builder.ts'
import { sponsor } from './sidecar-process.ts'

const network = 'stellar:testnet'
const passphrase = passphrases[network]
const seed = (n: number) => signerFromSeed(new Uint8Array(32).fill(n))
const accounts = { sponsor, other: seed(4), source: seed(5), channels: [seed(6)] }

/** Each is charged at most this, in stroops. */
export const FEE = 40_300n

let sequence = 1n

export async function settlements(count: number): Promise<readonly SigningRequest[]> {
  const invocation = readClientEnvelope(await transaction()).operations[0]?.invocation
  if (!invocation) throw new Error('no invocation')
  const maxTime = BigInt(Math.floor(Date.now() / 1_000) + 60)
  return Promise.all(
    Array.from({ length: count }, async () => {
      const terms = { network, invocation, maxTime } as const
      const [envelopeXdr = ''] = await settlementEnvelope(terms, accounts, sequence++)
      const hash = TransactionBuilder.fromXdr(envelopeXdr, passphrase).hash()
      return { network, purpose: 'settlement', kind: 'transaction', envelopeXdr, hash } as const
    }),
  )
}

export const message = (text: string): SigningRequest => ({
  network,
  purpose: 'announcement',
  kind: 'message',
  message: text,
  hash: new Uint8Array(32),
})

/** For each request whether its signature is one of the sponsor, or why there is none. */
export async function signedBy(
  service: KeyService,
  requests: readonly SigningRequest[],
): Promise<readonly (boolean | string)[]> {
  const results = await service.sign(requests, AbortSignal.timeout(120_000))
  return results.map((result, index) =>
    result.ok
      ? verifyBytes(requests[index]?.hash ?? new Uint8Array(), sponsor.publicKey, result.signature)
      : result.because,
  )
}

export const outcome = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'answered',
    (error: unknown) => String(Object(error).problem ?? error),
  )
