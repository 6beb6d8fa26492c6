import { readMcpToolUrl } from '../../platform/core/mcp-tool-url.ts'
import type { ReadOfferPayload, ReadReceiptPayload } from './artifacts.ts'
import type { SavedProof } from './saved-proof.ts'

/** A receipt is issued once the payment is made; clocks may differ, and a payment is valid for minutes. */
const MAX_APART_MS = 3_600_000

/** Of offer and receipt, as far as they are there. */
type Payloads = readonly [
  offer: ReadOfferPayload | undefined,
  receipt: ReadReceiptPayload | undefined,
]

/** The members of offer and receipt that are not about the payment, each as a phrase; empty when all agree. */
export function wrongTerms(proof: SavedProof, [offer, receipt]: Payloads): readonly string[] {
  const { network, scheme, asset, payTo, payer, signed, transaction } = proof
  const resource = (named: string): readonly [unknown, unknown] => [
    isResource(named, proof.url),
    true,
  ]
  const differing = (kind: string, pairs: Readonly<Record<string, readonly [unknown, unknown]>>) =>
    Object.entries(pairs).flatMap(([name, [is, wanted]]) =>
      is === wanted ? [] : [`the ${kind} has another ${name}`],
    )
  const ofOffer = offer
    ? differing('offer', {
        resourceUrl: resource(offer.resourceUrl),
        scheme: [offer.scheme, scheme],
        network: [offer.network, network],
        asset: [offer.asset, asset],
        payTo: [offer.payTo, payTo],
        amount: [offer.amount, signed],
      })
    : []
  const ofReceipt = receipt
    ? differing('receipt', {
        resourceUrl: resource(receipt.resourceUrl),
        network: [receipt.network, network],
        payer: [receipt.payer, payer],
        // An empty text is as good as none, by the extension.
        ...(receipt.transaction && {
          transaction: [receipt.transaction.toLowerCase(), transaction],
        }),
      })
    : []
  const isOfOtherTime = receipt && !isIssuedWith(receipt.issuedAt * 1_000, proof)
  const isExpired =
    offer?.validUntil && receipt && receipt.issuedAt > offer.validUntil + MAX_APART_MS / 1_000
  return [
    ...ofOffer,
    ...ofReceipt,
    ...(isOfOtherTime ? ['the receipt is of another time'] : []),
    ...(isExpired ? ['the offer had ended'] : []),
  ]
}

/** Sellers name what was called without its fragment, and in the form that a parser gives it; those of MCP tools name the tool or its server. */
function isResource(named: string, called: string): boolean {
  if (named === called) return true
  const tool = readMcpToolUrl(called)
  if (tool && isToolAlone(named)) return named === toolAlone(tool.tool)
  const wanted = tool?.kind === 'http' ? tool.server.href : tool ? undefined : plain(called)
  return wanted !== undefined && plain(named) === wanted
}

/** Whether offer or receipt name a tool and not its server, which was called: any server may have a tool of this name. */
export const isServerUnnamed = ({ url }: SavedProof, payloads: Payloads): boolean =>
  readMcpToolUrl(url)?.kind === 'http' &&
  payloads.some((payload) => payload !== undefined && isToolAlone(payload.resourceUrl))

/** As servers without a URL of their own name a tool: specs/transports-v2/mcp.md of x402. */
const toolAlone = (tool: string): string => `mcp://tool/${tool}`

const isToolAlone = (named: string): boolean => named.startsWith(toolAlone(''))

function plain(text: string): string | undefined {
  const url = URL.parse(text)
  if (url) url.hash = ''
  return url?.href
}

/** An answer that was asked for again comes later than its receipt. Its payment was signed at most minutes before it was no longer valid. */
const isIssuedWith = (ms: number, { at, validUntil }: SavedProof): boolean => {
  const [answered, invalid] = [Date.parse(at), Date.parse(validUntil)]
  return ms >= Math.min(answered, invalid) - MAX_APART_MS && ms <= answered + MAX_APART_MS
}
