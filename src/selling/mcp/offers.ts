import type { x402ResourceServer } from '@x402/core/server'
import type { PaymentRequired, PaymentRequirements } from '@x402/core/types'
import { PAYMENT_IDENTIFIER } from '../../payments/protocol/payment-identifier.ts'
import { declareTool } from '../bazaar/declare.ts'
import { type ToolTransport, toolTransport } from '../receipts/served-url.ts'
import type { PaidTool, ToolPrice } from './tool.ts'

/** The stock `x402ResourceServer`, of 2.9.0 or newer, as far as it is needed to sell tools. */
export type StockServer = Pick<
  x402ResourceServer,
  | 'initialize'
  | 'getSupportedKind'
  | 'buildPaymentRequirements'
  | 'createPaymentRequiredResponse'
  | 'findMatchingRequirements'
  | 'verifyPayment'
  | 'settlePayment'
>

export interface OfferOptions {
  /** Has the facilitator's address and the schemes of the prices. The first call initializes it, if nobody has. */
  readonly resources: StockServer
  /** The public address of the MCP server. @default the tools are `mcp://tool/NAME` */
  readonly url?: string | undefined
  /** Whether a buyer has to give each purchase an id, by the extension `payment-identifier`. @default 'optional' */
  readonly paymentIdentifier?: 'optional' | 'required' | undefined
  /** Whether offers declare their tool to the catalog of the facilitator. @default true */
  readonly isListed?: boolean | undefined
}

/** What a tool costs. */
interface Offer {
  readonly required: PaymentRequired
  /** What the stock server is told of the same tool when it settles: its extensions as they were declared, and its URL. */
  readonly declared: Readonly<Record<string, unknown>>
  readonly transport: ToolTransport
}

/** Throws while the facilitator does not answer, or where it does not support a price. */
export type OfferOf = (tool: OfferedTool) => Promise<Offer>

type OfferedTool = Omit<PaidTool<unknown>, 'run'>

export function openOffers(options: OfferOptions): OfferOf {
  const { resources, url, paymentIdentifier, isListed = true } = options
  let starting: Promise<void> | undefined
  const isSupported = ({ scheme, network }: Terms) =>
    resources.getSupportedKind(2, network, scheme) !== undefined

  return async (tool) => {
    const prices = [tool.accepts].flat().map(termsOf)
    if (!prices.every(isSupported)) {
      starting ??= resources.initialize().finally(() => {
        starting = undefined
      })
      await starting
    }
    const accepts: PaymentRequirements[] = []
    for (const price of prices) accepts.push(...(await resources.buildPaymentRequirements(price)))
    const { name, description } = tool
    const resource = { url: url ?? `mcp://tool/${name}`, description, mimeType: 'application/json' }
    const declared = {
      ...identifierExtension(paymentIdentifier === 'required'),
      ...(isListed && declarationOf(tool, url)),
      ...tool.extensions,
    }
    const transport = toolTransport(resource.url)
    const required = await resources.createPaymentRequiredResponse(
      accepts,
      resource,
      undefined,
      // A copy, since the stock server writes what its extensions make into it.
      { ...declared },
      transport,
    )
    return { required, declared, transport }
  }
}

type Terms = Parameters<StockServer['buildPaymentRequirements']>[0]

const termsOf = ({ maxTimeoutSeconds, ...price }: ToolPrice): Terms => ({
  ...price,
  ...(maxTimeoutSeconds !== undefined && { maxTimeoutSeconds }),
})

function declarationOf({ name, description, inputSchema, example }: OfferedTool, url?: string) {
  const json = inputSchema?.['~standard'].jsonSchema?.input({ target: 'draft-2020-12' })
  return declareTool({
    toolName: name,
    description,
    inputSchema: json ?? { type: 'object' },
    transport: url === undefined ? undefined : 'streamable-http',
    example: example?.input,
    output: example?.output,
  })
}

/** As specs/extensions/payment_identifier.md of x402 has it. */
const identifierExtension = (required: boolean) => ({
  [PAYMENT_IDENTIFIER]: {
    info: { required },
    schema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: {
        required: { type: 'boolean' },
        id: { type: 'string', minLength: 16, maxLength: 128 },
      },
      required: ['required'],
    },
  },
})
