/**
 * The stock facilitator of `@x402/core` with the `exact` scheme of `@x402/stellar`, served over
 * HTTP by the same library as ours. Prints one line of JSON when it listens.
 */
import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload, PaymentRequirements } from '@x402/core/types'
import { createEd25519Signer } from '@x402/stellar'
import { ExactStellarScheme } from '@x402/stellar/exact/facilitator'
import { fastify } from 'fastify'
import { stayOnThisMachine } from '../../src/demo/this-machine-only.ts'

export interface StockSettings {
  readonly rpcUrl: string
  readonly sponsorSecret: string
  readonly channelSecrets: readonly string[]
  readonly maxFeeStroops: number
}

interface Body {
  readonly paymentPayload: PaymentPayload
  readonly paymentRequirements: PaymentRequirements
}

const network = 'stellar:testnet'
const settings: StockSettings = JSON.parse(process.env['STOCK_SETTINGS'] ?? '')
const signer = (secret: string) => createEd25519Signer(secret, network)

// It requests the public Horizon at every verify; here that request fails at once.
stayOnThisMachine()
const scheme = new ExactStellarScheme(settings.channelSecrets.map(signer), {
  rpcConfig: { url: settings.rpcUrl },
  feeBumpSigner: signer(settings.sponsorSecret),
  maxTransactionFeeStroops: settings.maxFeeStroops,
})
const facilitator = new x402Facilitator().register(network, scheme)

const app = fastify()
app.post<{ Body: Body }>('/verify', ({ body }) =>
  facilitator.verify(body.paymentPayload, body.paymentRequirements),
)
app.post<{ Body: Body }>('/settle', ({ body }) =>
  facilitator.settle(body.paymentPayload, body.paymentRequirements),
)
const url = await app.listen({ host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ url })}\n`)
process.once('SIGTERM', () => process.exit(0))
process.once('disconnect', () => process.exit(0))
process.channel?.unref()
