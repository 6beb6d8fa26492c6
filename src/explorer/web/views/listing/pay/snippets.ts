/* The texts with which a reader pays for a listing. Every value in them is ASCII, and quoted for its language. */
import { asciiJson } from '../../../../../platform/core/text/ascii-json.ts'
import { EXAMPLE_RPC, SEED_FILE } from '../../../../../platform/core/text/pay-placeholders.ts'
import { shellWord } from '../../../../../platform/core/text/shell-word.ts'
import type { ExampleCall } from './call.ts'
import type { Purchase } from './purchase.ts'
import { typescriptOfCall } from './typescript.ts'

export interface Snippet {
  /** The `id` attribute of its code. */
  readonly id: string
  readonly title: string
  /** What the reader needs for it. */
  readonly note: string
  readonly code: string
}

export const SEED_NOTE = `The seed of the payer is in ${SEED_FILE}; svc wallet new makes one.`
const TESTNET = 'stellar:testnet'

/** Four ways to pay for an HTTP call. */
export const callSnippets = (
  call: ExampleCall,
  purchase: Purchase,
  facilitatorUrl: string,
): readonly Snippet[] => [
  {
    id: 'pay-svc',
    title: 'svc pay',
    note: SEED_NOTE,
    code: `${['svc', ...payArguments(call, purchase)].map(shellWord).join(' ')}\n`,
  },
  {
    id: 'pay-typescript',
    title: 'TypeScript',
    note: 'With the stock x402 packages. Set BUYER_SECRET to the seed of the payer.',
    code: typescriptOfCall(call, purchase),
  },
  {
    id: 'pay-python',
    title: 'Python',
    note: 'Needs the command svc: the Python package x402 has no scheme for Stellar.',
    code: pythonOf(call, purchase),
  },
  {
    id: 'pay-mcp',
    title: 'MCP configuration',
    note: 'For the host of an agent, which then pays with the tool pay_and_call, within the budget.',
    code: `${asciiJson(mcpConfiguration(purchase, facilitatorUrl), 2)}\n`,
  },
  {
    id: 'pay-mcp-arguments',
    title: 'Arguments of pay_and_call',
    note: 'What the agent calls the tool with.',
    code: `${asciiJson(toolArguments(call, purchase), 2)}\n`,
  },
]

function payArguments({ url, method, body }: ExampleCall, purchase: Purchase): readonly string[] {
  const usual = body ? 'POST' : 'GET'
  return payWords(url, purchase, [
    ...(method === usual ? [] : ['--method', method]),
    ...(body ? ['--data', body.text] : []),
  ])
}

/** Words of `svc pay` after the name of the program. */
export const payWords = (
  url: string,
  { network, asset, isUsdc, max }: Purchase,
  more: readonly string[],
): readonly string[] => [
  ...['pay', url, '--max', max],
  ...(network === TESTNET ? [] : ['--network', network, '--rpc', EXAMPLE_RPC]),
  ...(isUsdc ? [] : ['--asset', asset]),
  ...more,
  ...['--key-file', SEED_FILE],
]

const pythonOf = (call: ExampleCall, purchase: Purchase): string =>
  `import json
import subprocess

command = ${asciiJson(['svc', ...payArguments(call, purchase), '--json'], 4)}
done = subprocess.run(command, capture_output=True, text=True)
if not done.stdout:
    raise SystemExit(done.stderr)
result = json.loads(done.stdout)
if result["paid"] is not True:
    raise SystemExit(result["message"])
print(result["body"])
print(result["receipt"]["transaction"])
`

/** For the host of an agent, which starts `svc mcp` with it. */
export const mcpConfiguration = ({ network }: Purchase, facilitatorUrl: string) => ({
  mcpServers: {
    x402: {
      command: 'svc',
      args: [
        ...['mcp', '--facilitator', facilitatorUrl, '--network', network, '--budget', '1'],
        ...(network === TESTNET ? [] : ['--rpc', EXAMPLE_RPC]),
      ],
      env: { BUYER_SECRET_FILE: `/path/to/${SEED_FILE}` },
    },
  },
})

const toolArguments = ({ url, method, body }: ExampleCall, { max }: Purchase) => ({
  url,
  method,
  ...(body && { headers: { 'content-type': body.type }, body: body.text }),
  max,
})
