import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { parseArgs } from 'node:util'
import { systemClock } from '../core/clock.ts'
import { type PaidCall, payFor } from '../demo/buyer.ts'
import { DemoFailure } from '../demo/demo-failure.ts'
import { runningDemo } from '../demo/demo-folder.ts'
import { DEMO_NETWORK } from '../demo/demo-network.ts'
import { ledgerView } from '../demo/ledger-view.ts'
import { paymentReport } from '../demo/report.ts'
import { isOnThisMachine, stayOnThisMachine } from '../demo/this-machine-only.ts'
import { witness } from '../demo/witnessed-payment.ts'
import { demoFolder } from './demo-folder.ts'
import { UsageError } from './flags.ts'
import { helpPage, usageExit } from './help.ts'

const help = helpPage({
  name: 'pay',
  summary: 'one paid call with the stock x402 client',
  usage: [
    'svc pay                   pays the API of the demo that runs in this folder',
    'svc pay URL --rpc URL     pays any x402 API on stellar:testnet',
  ],
  options: [
    ['--rpc URL', 'Stellar RPC over https'],
    ['--json', 'prints the call as one JSON object'],
    ['--dir .svc/demo', 'the folder of the running demo'],
  ],
  notes: [],
  environment: [['BUYER_SECRET', 'the seed of who pays, with a URL']],
  exits: { 0: 'paid', 1: 'not paid, and why', ...usageExit },
  example: 'svc pay',
})

/** @returns the exit code: 0 paid, 1 not paid */
export async function pay(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      rpc: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
      dir: { type: 'string', default: demoFolder() },
    },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  dropProxies()
  try {
    const [url] = positionals
    const text =
      url === undefined ? await payDemo(values.dir) : await payAnyone(url, values.rpc, values.json)
    process.stdout.write(text)
    return 0
  } catch (error) {
    if (!(error instanceof DemoFailure)) throw error
    process.stderr.write(`svc pay: ${error.message}\n${error.hint ? `${error.hint}\n` : ''}`)
    return 1
  }
}

/** Pays a running demo's API and shows what became of everyone's balance. */
async function payDemo(folder: string): Promise<string> {
  const state = await runningDemo(folder)
  if (!state) {
    throw new DemoFailure(
      'no demo runs here',
      'Start one (make run), then pay from the same folder.',
    )
  }
  trust(state.caFile)
  const ledger = ledgerView(state.networkUrl, state.passphrase)
  const call = () => payWith(state.paidUrl, state.rpcUrl, state.buyer.secret)
  return paymentReport(await witness(ledger, state.parties, call))
}

async function payAnyone(url: string, rpcUrl: string | undefined, json: boolean): Promise<string> {
  const { BUYER_SECRET: secret } = process.env
  if (rpcUrl === undefined) throw new UsageError('a URL needs --rpc as well')
  if (!secret) throw new UsageError('BUYER_SECRET must hold the secret of who pays')
  const call = await payWith(url, rpcUrl, secret)
  return json ? `${JSON.stringify(call)}\n` : `${call.body}\n${call.settlement.transaction}\n`
}

function payWith(url: string, rpcUrl: string, secret: string): Promise<PaidCall> {
  if (isOnThisMachine(new URL(rpcUrl).hostname)) stayOnThisMachine()
  return payFor(url, { secret, network: DEMO_NETWORK, rpcUrl, clock: systemClock })
}

/** What NODE_EXTRA_CA_CERTS does, for a process that is already running. */
function trust(caFile: string): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(caFile, 'utf8')])
}

/** The stock client's HTTP library would ask a proxy for the way to this very machine. */
function dropProxies(): void {
  for (const name of Object.keys(process.env)) {
    if (/^(https?|all)_proxy$/i.test(name)) delete process.env[name]
  }
}
