import { Budget, LARGEST_BUDGET } from '../../../buying/budget/budget.ts'
import { type NamedServer, readNamedServers } from '../../../buying/mcp/seller/named-servers.ts'
import { sellers } from '../../../buying/mcp/seller/sellers.ts'
import type { Tool } from '../../../buying/mcp/tools/tool.ts'
import { USDC_DECIMALS } from '../../../buying/offer/usdc.ts'
import type { DemoState } from '../../../demo/state/demo-state.ts'
import { unitsOfDecimal } from '../../../platform/core/amounts/decimal.ts'
import type { NetworkId } from '../../../platform/core/caip2.ts'
import { AsyncDisposableStack } from '../../../platform/core/language/disposable-stack.ts'
import { messageOf } from '../../../platform/core/text/error-message.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { EX_UNAVAILABLE } from '../../../service/process/exit-codes.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { readBuyerKey } from '../buyer-key.ts'
import { dropProxies, trust } from '../buyer-process.ts'
import { defaultBudgetFile } from '../default-budget-file.ts'
import { rpcOf } from '../pay/words.ts'
import { uptoContractsOf } from '../upto-contracts.ts'

type Variables = Readonly<Record<string, string | undefined>>

export interface WalletFlags {
  readonly budget: string | undefined
  readonly budgetFile: string | undefined
  readonly rpc: string | undefined
  readonly network: NetworkId | undefined
  /** File that names the MCP servers to start. */
  readonly servers?: string | undefined
}

/** The spending limit of payments, and the network, RPC and file that they use. */
export interface WalletPlan {
  readonly network: NetworkId
  /** Base units of USDC in any 24 hours. */
  readonly limit: bigint
  readonly file: string
  /** Stellar RPC over https. */
  readonly rpc: string
  /** Only the running demo sells on this machine. */
  readonly reach: 'public' | 'loopback_too'
  readonly caFile: string | undefined
  /** Settlement contracts of `upto` to sign for; undefined: those that run our code. */
  readonly uptoContracts: readonly string[] | undefined
  /** MCP servers on standard input and output whose tools may be paid; no other program is ever started. */
  readonly servers: ReadonlyMap<string, NamedServer>
}

const isWalletNamed = (variables: Variables): boolean =>
  ['BUYER_SECRET', 'BUYER_SECRET_FILE', 'BUYER_KEYCHAIN'].some((name) => variables[name])

/** Undefined without a wallet, and then nothing can be paid. Throws UsageError for a wallet without a budget. */
export function walletPlan(
  flags: WalletFlags,
  demo: DemoState | undefined,
  variables: Variables,
): WalletPlan | undefined {
  const { budget, network = demo && 'stellar:testnet' } = flags
  if (!isWalletNamed(variables)) {
    if (flags.servers !== undefined) throw new UsageError('--servers needs a wallet and --budget')
    if (budget === undefined) return undefined
    throw new UsageError('--budget needs a wallet: set BUYER_SECRET_FILE, or BUYER_KEYCHAIN')
  }
  if (budget === undefined) {
    throw new UsageError(
      'a wallet needs --budget, the most that may be spent in any 24 hours, such as --budget 1',
    )
  }
  if (network === undefined) {
    throw new UsageError('a wallet needs --network, the only one on which it pays')
  }
  const limit = unitsOfDecimal(budget, USDC_DECIMALS)
  if (limit === undefined || limit > LARGEST_BUDGET) {
    throw new UsageError(`--budget is an amount of USDC such as 2.5, not ${budget}`)
  }
  return {
    network,
    limit,
    file: flags.budgetFile ?? defaultBudgetFile(network, variables),
    rpc: demo?.rpcUrl ?? rpcOf(network, flags.rpc, variables) ?? '',
    reach: demo ? 'loopback_too' : 'public',
    caFile: demo?.caFile,
    uptoContracts: uptoContractsOf(variables),
    servers: flags.servers === undefined ? new Map() : serversOf(flags.servers),
  }
}

function serversOf(file: string): WalletPlan['servers'] {
  try {
    return readNamedServers(file)
  } catch (error) {
    throw new UsageError(
      `--servers is a file of JSON with mcpServers, as hosts of agents have it, each with a command: ${messageOf(error)}`,
    )
  }
}

/** Nothing can be paid here. The message is a sentence without a full stop. */
export class WalletUnusable extends Error {
  override readonly name = 'WalletUnusable'
  readonly exit: number

  constructor(message: string, exit: number, cause: unknown) {
    super(message, { cause })
    this.exit = exit
  }
}

function openBudget(file: string, limit: bigint): Budget {
  try {
    return new Budget({ file, limit, clock: systemClock })
  } catch (error) {
    throw new WalletUnusable(`the budget file ${file}: ${messageOf(error)}`, 1, error)
  }
}

export interface OpenWallet extends AsyncDisposable {
  readonly tools: readonly Tool[]
}

/** Loaded on demand: without a wallet neither the stock client nor its second of start time is needed. */
async function paymentModules() {
  try {
    const [{ payAndCall }, { callPaidTool }, { listPayments }, { OpenPayments }, { walletOf }] =
      await Promise.all([
        import('../../../buying/mcp/payment/pay-and-call.ts'),
        import('../../../buying/mcp/payment/call-paid-tool.ts'),
        import('../../../buying/mcp/payment/list-payments.ts'),
        import('../../../buying/budget/open-payments.ts'),
        import('../../../buying/sign/sign-payment.ts'),
      ])
    return { payAndCall, callPaidTool, listPayments, OpenPayments, walletOf }
  } catch (error) {
    if (Object(error).code !== 'ERR_MODULE_NOT_FOUND') throw error
    const says =
      'it cannot pay here, where the packages of the x402 client are left out. Run it in a clone of the project, or without a wallet and --budget'
    throw new WalletUnusable(says, EX_UNAVAILABLE, error)
  }
}

/** Throws PayFailure without a valid seed, and WalletUnusable. */
export async function openWallet(plan: WalletPlan, variables: Variables): Promise<OpenWallet> {
  const { payAndCall, callPaidTool, listPayments, OpenPayments, walletOf } = await paymentModules()
  const { network, limit, file, rpc, reach, caFile, uptoContracts, servers } = plan
  const payer = await readBuyerKey({}, variables)
  await using opened = new AsyncDisposableStack()
  const budget = opened.use(openBudget(file, limit))
  const http = opened.use(sellers({ reach, servers }))
  dropProxies()
  if (caFile !== undefined) {
    const { stayOnThisMachine } = await import('../../../demo/this-machine-only.ts')
    trust(caFile)
    stayOnThisMachine()
  }
  const wallet = walletOf(payer, network, rpc, uptoContracts)
  // The last to be opened, the first to be closed: calls that still run need the budget and the connections.
  const open = opened.use(new OpenPayments({ budget, rpcUrl: rpc }))
  // Also of the payments that were under way when an earlier process crashed.
  open.follow(systemClock)
  const paying = { http, wallet, network, budget, open, clock: systemClock }
  const tools = [payAndCall(paying), callPaidTool(paying), listPayments({ budget, open })]
  const resources = opened.move()
  return { tools, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
