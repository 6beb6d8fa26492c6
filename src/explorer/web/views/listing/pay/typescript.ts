import { isMetered } from '../../../../../payments/protocol/schemes.ts'
import { asciiJson } from '../../../../../platform/core/text/ascii-json.ts'
import type { ExampleCall } from './call.ts'
import type { Purchase } from './purchase.ts'

const PACKAGES =
  '@stellar/stellar-sdk@14.6.1 @x402/core@2.27.0 @x402/stellar@2.9.0 @x402/fetch@2.27.0'

/** A program that makes an HTTP call and pays for it, with the stock packages; a metered one also with this project's. */
export function typescriptOfCall(call: ExampleCall, purchase: Purchase): string {
  const metered = isMetered(purchase.scheme)
  const { method, body } = call
  const request = {
    method,
    ...(body && { headers: { 'content-type': body.type }, body: body.text }),
  }
  return `// npm install ${PACKAGES}${metered ? ' and this project' : ''}
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
${walletOf(purchase)}
const pay = wrapFetchWithPayment(fetch, client)
const response = await pay(${asciiJson(call.url)}, ${asciiJson(request, 2)})
console.log(response.status, await response.text())
const result = response.headers.get('payment-response')
if (result) console.log(JSON.parse(Buffer.from(result, 'base64').toString()).transaction)
`
}

/** A program that calls a tool and pays for it. */
export const typescriptOfTool = (
  tool: { readonly url: string; readonly name: string; readonly arguments: unknown },
  purchase: Purchase,
): string =>
  `// npm install @modelcontextprotocol/client ${PACKAGES}
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { x402Client } from '@x402/core/client'
${walletOf(purchase)}
const host = new Client({ name: 'buyer', version: '1.0.0' })
await host.connect(new StreamableHTTPClientTransport(new URL(${asciiJson(tool.url)})))
const call = ${asciiJson({ name: tool.name, arguments: tool.arguments }, 2)}
const first = await host.callTool(call)
const price: any = first.structuredContent
const isPriced = first.isError && price?.x402Version === 2
const payment = isPriced && (await client.createPaymentPayload(price))
const answer = payment
  ? await host.callTool({ ...call, _meta: { 'x402/payment': payment } })
  : first
console.log(answer.isError ? 'failed' : 'answer', JSON.stringify(answer.content))
const receipt: any = answer._meta?.['x402/payment-response']
if (receipt) console.log(receipt.transaction)
await host.close()
`

/** A client that signs for one asset, up to one price. */
function walletOf({ scheme, network, asset, decimals, max, maxUnits }: Purchase): string {
  const metered = isMetered(scheme)
  return `import { createEd25519Signer } from '@x402/stellar'
${metered ? "import { UptoStellarScheme } from 'stellar-x402/upto/client'" : "import { ExactStellarScheme } from '@x402/stellar/exact/client'"}

const ASSET = ${asciiJson(asset)}
const LIMIT = ${maxUnits}n // ${max} of the asset: the most that a call may cost

const { BUYER_SECRET, STELLAR_RPC_URL } = process.env
if (!BUYER_SECRET) throw new Error('Set BUYER_SECRET.')

const signer = createEd25519Signer(BUYER_SECRET.trim(), ${asciiJson(network)})
${
  metered
    ? `const scheme = new UptoStellarScheme(signer, {
  url: STELLAR_RPC_URL,
  maxAmounts: { [ASSET]: LIMIT },
})`
    : `const scheme = Object.assign(new ExactStellarScheme(signer, { url: STELLAR_RPC_URL }), {
  findDefaultAsset: (asset = '') =>
    asset === ASSET ? { asset, symbol: 'the asset', decimals: ${decimals} } : undefined,
})`
}
const client = new x402Client().register(${asciiJson(network)}, scheme)
client.registerPolicy((_version, offers) =>
  offers.filter(({ asset, amount }) => asset === ASSET && BigInt(amount) <= LIMIT),
)
`
}
