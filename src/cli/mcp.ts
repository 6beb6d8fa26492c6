import { systemClock } from '../core/clock.ts'
import { httpFacts } from '../mcp/http-facts.ts'
import { serveStdio } from '../mcp/stdio.ts'
import { command } from './command/command.ts'
import { networkId, text } from './command/flags.ts'
import { UsageError } from './command/usage-error.ts'
import { readRunningDemo } from './running-demo.ts'
import { ownVersion } from './version.ts'

const flags = {
  facilitator: text('URL', 'of a facilitator or catalog; by default that of the running demo'),
  explorer: text('URL', 'of its explorer; without it no payment can be looked up'),
  network: networkId('search and look only on this network'),
  dir: text('DIR', 'the folder of the running demo; by default that of this clone'),
}

export const mcp = command({
  name: 'mcp',
  summary: 'an MCP server on standard input and output, for an agent',
  usage: [
    'svc mcp                                    with the running demo',
    'svc mcp --facilitator URL [--explorer URL] [--network ID]',
  ],
  flags,
  notes: [
    'Tools that cost nothing: search_resources, inspect_resource, validate_resource, payment_status,',
    'seller_activity. A host such as an editor starts it and ends it; docs/agents.md shows how to',
    'configure one. Standard output carries the protocol only; errors go to standard error.',
  ],
  exits: { 0: 'the host closed its end, or a signal', 1: 'could not start, and why' },
  example: 'svc mcp --facilitator https://facilitator.example --explorer https://explorer.example',
  config: (_variables, { facilitator, explorer, dir }) => placesOf({ facilitator, explorer, dir }),
  handlesStop: true,
  run: async ({ config: places, flags: { network }, stop }) => {
    if (!places) {
      process.stderr.write(
        'svc mcp: no demo runs here. Start one with make run, or give --facilitator URL.\n',
      )
      return 1
    }
    const facts = httpFacts({ ...places, clock: systemClock })
    await serveStdio({
      version: ownVersion(),
      facts,
      network,
      stop,
      onError: (error) => process.stderr.write(`svc mcp: ${String(error)}\n`),
    })
    return 0
  },
})

interface Places {
  readonly facilitator: string
  readonly explorer?: string
}

/** Undefined when no facilitator is named and no demo runs. Throws UsageError. */
async function placesOf(given: {
  readonly facilitator: string | undefined
  readonly explorer: string | undefined
  readonly dir: string | undefined
}): Promise<Places | undefined> {
  const explorer = baseUrl(given.explorer, '--explorer')
  const facilitator = baseUrl(given.facilitator, '--facilitator')
  if (facilitator !== undefined) return { facilitator, ...(explorer !== undefined && { explorer }) }
  const demo = await readRunningDemo(given.dir)
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
