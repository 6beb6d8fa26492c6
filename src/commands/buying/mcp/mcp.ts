import { httpFacts } from '../../../buying/mcp/facts/http-facts.ts'
import { serveStdio } from '../../../buying/mcp/stdio.ts'
import { PayFailure, payFailures } from '../../../buying/outcome/pay-failure.ts'
import type { DemoState } from '../../../demo/state/demo-state.ts'
import { typed } from '../../../platform/core/text/typed-command.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { ownVersion } from '../../../service/process/own-version.ts'
import { command } from '../../command-line/command.ts'
import { type FlagValues, networkId, text } from '../../command-line/flags.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { readRunningDemo } from '../../development/running-demo.ts'
import { keyVariables, uptoContractsVariable } from '../buyer-variables.ts'
import { openWallet, WalletUnusable, walletPlan } from './wallet.ts'

const flags = {
  facilitator: text('URL', 'of a facilitator or catalog; by default that of the running demo'),
  explorer: text('URL', 'of its explorer; without it no payment can be looked up'),
  network: networkId('search, look and pay only on this network'),
  budget: text('USDC', 'the most that a wallet may spend in any 24 hours; needed with a wallet'),
  'budget-file': text(
    'FILE',
    'what was spent; processes that pay from one wallet share it (default: in ~/.local/state/svc)',
  ),
  servers: text(
    'FILE',
    'MCP servers on standard input and output whose tools may be paid, as JSON with mcpServers; no other program is started',
  ),
  rpc: text('URL', 'Stellar RPC of the wallet, over https; of testnet the public one without it'),
  dir: text('DIR', 'the folder of the running demo; by default that of this installation'),
}

export const mcp = command({
  name: 'mcp',
  summary: 'an MCP server on standard input and output, for an agent',
  usage: [
    'svc mcp                                    with the running demo',
    'svc mcp --facilitator URL [--explorer URL] [--network ID]',
    'svc mcp --facilitator URL --network ID --budget USDC    with a wallet, it can pay',
  ],
  flags,
  notes: [
    'Tools that cost nothing: search_resources, inspect_resource, validate_resource, payment_status,',
    'seller_activity. With a wallet also pay_and_call and call_paid_tool, which pays for tools of other MCP',
    'servers, both within a maximum of each call and the budget, and list_payments.',
    'A host such as an editor starts it and ends it; docs/agents.md shows how to configure one. Standard',
    'output carries the protocol only; errors go to standard error.',
  ],
  env: [
    keyVariables[0],
    [
      'BUYER_ACCOUNT',
      'the contract account, C..., that pays; the seed, or a key in PEM, is that of a signer of it',
    ],
    ['BUYER_KEYCHAIN', "or the entry of this environment's keychain that holds it: docs/buyers.md"],
    ['TESTNET_RPC_URL', 'the Stellar RPC without --rpc. PUBNET_RPC_URL likewise'],
    uptoContractsVariable,
  ],
  exits: {
    0: 'the host closed its end, or a signal',
    1: 'could not start, and why',
    69: 'a wallet was given where the packages of the x402 client are left out, as in the container image',
  },
  example: 'svc mcp --facilitator https://facilitator.example --explorer https://explorer.example',
  config: async (variables, given) => {
    const demo = given.facilitator === undefined ? await readRunningDemo(given.dir) : undefined
    const { budget, 'budget-file': budgetFile, rpc, network, servers } = given
    return {
      places: placesOf(given, demo),
      plan: walletPlan({ budget, budgetFile, rpc, network, servers }, demo, variables),
      variables,
    }
  },
  handlesStop: true,
  run: async ({ config: { places, plan, variables }, flags: { network }, stop }) => {
    if (!places) {
      return fail(
        `no demo runs here. Start one with ${typed().demo()}, or give --facilitator URL`,
        1,
      )
    }
    try {
      await using wallet = plan && (await openWallet(plan, variables))
      await serveStdio({
        version: ownVersion(),
        facts: httpFacts({ ...places, clock: systemClock }),
        network,
        moreTools: wallet?.tools ?? [],
        stop,
        onError: (error) => fail(String(error), 1),
      })
      return 0
    } catch (error) {
      if (error instanceof WalletUnusable) return fail(error.message, error.exit)
      if (!(error instanceof PayFailure)) throw error
      return fail(error.message, payFailures[error.code].exit)
    }
  },
})

function fail(sentence: string, exit: number): number {
  process.stderr.write(`svc mcp: ${sentence}.\n`)
  return exit
}

interface Places {
  readonly facilitator: string
  readonly explorer?: string | undefined
}

/** Undefined when no facilitator is named and no demo runs. Throws UsageError. */
function placesOf(
  given: FlagValues<typeof flags>,
  demo: DemoState | undefined,
): Places | undefined {
  const explorer = baseUrl(given.explorer, '--explorer')
  const facilitator = baseUrl(given.facilitator, '--facilitator')
  if (facilitator !== undefined) return { facilitator, explorer }
  return demo && { facilitator: demo.facilitatorUrl, explorer: explorer ?? demo.explorerUrl }
}

function baseUrl(text: string | undefined, name: string): string | undefined {
  if (text === undefined) return undefined
  const url = URL.parse(text)
  const isPlain =
    url?.username === '' && url.password === '' && url.search === '' && url.hash === ''
  if (isPlain && (url.protocol === 'https:' || url.protocol === 'http:')) return url.href
  throw new UsageError(`${name} is a URL such as https://facilitator.example, without a query`)
}
