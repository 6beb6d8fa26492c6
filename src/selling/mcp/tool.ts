import type { Network, PaymentRequirements, Price } from '@x402/core/types'
import type { DeclaredOutput, JsonSchema } from '../bazaar/declare.ts'
import type { ToolResult } from './transport.ts'

/** A schema of zod, Valibot, ArkType or another library of https://standardschema.dev. */
export interface Schema<Output = unknown> {
  readonly '~standard': {
    readonly validate: (value: unknown) => Validated | Promise<Validated>
    readonly types?: { readonly output: Output } | undefined
    /** Of newer libraries; without it the tool is declared to the catalog as one that takes any object. */
    readonly jsonSchema?:
      | { readonly input: (options: { readonly target: 'draft-2020-12' }) => JsonSchema }
      | undefined
  }
}

interface Validated {
  readonly issues?: readonly { readonly message: string }[] | undefined
}

/** What a call costs, as in a route of a stock server. */
export interface ToolPrice {
  /** One that `resources` has. In a metered one the price is a ceiling, and `charge` names the amount. */
  readonly scheme: string
  readonly network: Network
  /** Dollars, as `'$0.02'`, or an amount of a token in base units. */
  readonly price: Price
  /** The address that is paid. */
  readonly payTo: string
  /** How long the buyer's signature is valid. @default that of the stock server: 300 */
  readonly maxTimeoutSeconds?: number | undefined
}

/** A tool with a price. */
export interface PaidTool<Input> {
  readonly name: string
  readonly title?: string | undefined
  readonly description: string
  /** One price, or several among which the buyer chooses. */
  readonly accepts: ToolPrice | readonly ToolPrice[]
  /** Of the arguments, which are JSON after it, too. @default the tool takes none */
  readonly inputSchema?: Schema<Input> | undefined
  /** Of the structured content. An answer that does not fit is an error, and costs nothing. */
  readonly outputSchema?: Schema | undefined
  readonly annotations?: object | undefined
  /** Of its price, as in a route of a stock server: `declareReceipts()`. */
  readonly extensions?: Readonly<Record<string, unknown>> | undefined
  /** Examples for the catalog. */
  readonly example?: { readonly input?: object; readonly output?: DeclaredOutput } | undefined
  /**
   * Does the work, after the payment was verified and before it is settled: an error, thrown or as `isError`, costs the
   * buyer nothing. Do in it nothing that cannot be undone: the settlement can fail.
   */
  readonly run: (args: Input, call: PaidCall) => ToolResult | Promise<ToolResult>
}

/** One call of a paid tool. */
export interface PaidCall {
  /** The account that pays, as the facilitator told it. */
  readonly payer: string | undefined
  /** The price that the buyer chose. */
  readonly price: PaymentRequirements
  /** Aborts when the caller cancels the call or goes away. */
  readonly signal: AbortSignal
  /** What the official SDK passes to the callback of a tool: `extra` of the first, `ServerContext` of the second. */
  readonly context: unknown
  /**
   * Has the call settled for what it used, in base units: `0n` is nothing, and more than the ceiling is the ceiling. The last
   * call counts; without one the whole ceiling is settled. Throws RangeError for a negative amount.
   *
   * @returns what is charged; undefined where the buyer chose another scheme than `upto`, whose price stands
   */
  charge(used: bigint): bigint | undefined
}

/** Throws for an answer that the SDK would refuse after it was paid for. */
export async function checkOutput(
  schema: Schema | undefined,
  { isError, structuredContent }: ToolResult,
): Promise<void> {
  if (!schema || isError) return
  const { issues } = await schema['~standard'].validate(structuredContent)
  if (!issues) return
  const problems = issues.map(({ message }) => message).join('; ')
  throw new Error(`The tool answered something else than its output schema says: ${problems}`)
}
