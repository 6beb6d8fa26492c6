import type { ResourceServerExtension } from '@x402/core/types'
import { OFFER_RECEIPT } from '../../payments/protocol/offer-receipt.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { signOffer, signReceipt } from './issue.ts'
import { servedUrl } from './served-url.ts'
import type { ReceiptSigner } from './signer.ts'

export interface ReceiptDeclaration {
  /**
   * Whether the receipt names the transaction: then everybody who has it can find the payment on the ledger, and the buyer can
   * prove what it paid. @default true
   */
  readonly includeTxHash?: boolean | undefined
  /** How long the terms of an offer hold, in seconds. @default 300 */
  readonly offerValiditySeconds?: number | undefined
}

const VALIDITY_SECONDS = 300

/** A value for `extensions` of a route or of a paid tool: its prices are signed, and its paid answers have a receipt. */
export const declareReceipts = ({
  includeTxHash = true,
  offerValiditySeconds = VALIDITY_SECONDS,
}: ReceiptDeclaration = {}): Readonly<
  Record<typeof OFFER_RECEIPT, Readonly<Record<string, unknown>>>
> => ({
  [OFFER_RECEIPT]: { includeTxHash, offerValiditySeconds },
})

export interface ReceiptsOptions {
  readonly signer: ReceiptSigner
  /**
   * Of the resources, as buyers call them: `https://api.example.com`. Signed URLs have it, with path and query of the request: the
   * header `Host` is the caller's text, and would have the seller sign for a site of others. A tool is signed by the URL of its
   * price, which the seller wrote. @default only tools are signed
   */
  readonly origin?: string | undefined
  /** Milliseconds since the Unix epoch. @default the system's clock */
  readonly now?: (() => number) | undefined
}

/**
 * Signs prices and receipts of the routes and tools with `declareReceipts`, in a stock x402 server of 2.9.0 or newer that serves HTTP,
 * or whose tools a `toolSeller` sells: `server.registerExtension(receipts({ signer, origin }))`. Throws TypeError when `origin` is
 * not that of a site.
 */
export function receipts({
  signer,
  origin,
  now = () => systemClock.now(),
}: ReceiptsOptions): ResourceServerExtension {
  const site = origin === undefined ? undefined : new URL(origin).origin
  if (site === 'null') throw new TypeError('origin must be an http or https URL')
  const seconds = () => Math.floor(now() / 1_000)
  return {
    key: OFFER_RECEIPT,
    enrichPaymentRequiredResponse: async (declared, context) => {
      const resourceUrl = servedUrl(site, context.transportContext)
      if (resourceUrl === undefined) return undefined
      const validUntil = seconds() + declarationOf(declared).offerValiditySeconds
      const offers = context.requirements.map(async (terms, acceptIndex) => {
        const { scheme, network, asset, payTo, amount } = terms
        const offer = { resourceUrl, scheme, network, asset, payTo, amount, validUntil }
        return { ...(await signOffer(signer, offer)), acceptIndex }
      })
      const schema = schemaOf('offers', { type: 'array', items: artifactSchema })
      return { info: { offers: await Promise.all(offers) }, schema }
    },
    enrichSettlementResponse: async (declared, { result, transportContext }) => {
      const resourceUrl = servedUrl(site, transportContext)
      const { success, network, payer, transaction } = result
      if (!success || payer === undefined || resourceUrl === undefined) return undefined
      const receipt = await signReceipt(signer, {
        ...{ network, resourceUrl, payer, issuedAt: seconds() },
        ...(declarationOf(declared).includeTxHash && { transaction }),
      })
      return { info: { receipt }, schema: schemaOf('receipt', artifactSchema) }
    },
  }
}

function declarationOf(declared: unknown) {
  const { includeTxHash, offerValiditySeconds: validity } = Object(declared) as ReceiptDeclaration
  const offerValiditySeconds =
    validity !== undefined && validity > 0 ? Math.floor(validity) : VALIDITY_SECONDS
  return { includeTxHash: includeTxHash !== false, offerValiditySeconds }
}

const artifactSchema = {
  type: 'object',
  properties: {
    format: { type: 'string', const: 'jws' },
    acceptIndex: { type: 'integer' },
    signature: { type: 'string' },
  },
  required: ['format', 'signature'],
}

const schemaOf = (member: string, schema: object) => ({
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: { [member]: schema },
  required: [member],
})
