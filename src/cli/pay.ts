import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { systemClock } from '../core/clock.ts'
import { type PaidCall, payFor } from '../demo/buyer.ts'
import { DemoFailure, explainDemoFailure } from '../demo/demo-failure.ts'
import { DEMO_NETWORK } from '../demo/demo-state.ts'
import { ledgerReader } from '../demo/ledger-reader.ts'
import { observePayment } from '../demo/observed-payment.ts'
import { paymentReport } from '../demo/report.ts'
import { isOnThisMachine, stayOnThisMachine } from '../demo/this-machine-only.ts'
import { command } from './command/command.ts'
import { flag, text } from './command/flags.ts'
import { UsageError } from './command/usage-error.ts'
import { readRunningDemo } from './running-demo.ts'

interface Target {
  readonly url: string
  /** URL of Stellar RPC. */
  readonly rpc: string
}

export const pay = command({
  name: 'pay',
  summary: 'one paid call with the stock x402 client',
  usage: [
    'svc pay                   pays the API of the demo that runs from this clone',
    'svc pay URL --rpc URL     pays any x402 API on stellar:testnet',
  ],
  flags: {
    rpc: text('URL', 'Stellar RPC over https'),
    json: flag('prints the call as one JSON object'),
    dir: text('DIR', 'the folder of the running demo; by default that of this clone'),
  },
  positionals: ([url, ...rest], { rpc }): Target | undefined => {
    if (rest.length > 0) throw new UsageError('expected one URL at most')
    if (url === undefined) return undefined
    if (rpc === undefined) throw new UsageError('a URL needs --rpc as well')
    return { url, rpc }
  },
  env: [['BUYER_SECRET', "the payer's seed, with a URL"]],
  exits: { 0: 'paid', 1: 'not paid, and why' },
  example: 'svc pay',
  explain: explainDemoFailure,
  run: async ({ positionals: target, flags: { dir, json } }) => {
    dropProxies()
    process.stdout.write(target ? await payUrl(target, json) : await payDemo(dir))
    return 0
  },
})

/** Pays the API of the running demo and reports how every balance changed. */
async function payDemo(folder: string | undefined): Promise<string> {
  const state = await readRunningDemo(folder)
  if (!state) {
    throw new DemoFailure('no demo runs here', 'Start one in another terminal: make run.')
  }
  trust(state.caFile)
  const ledger = ledgerReader(state.networkUrl, state.passphrase)
  const call = () => payWith(state.paidUrl, state.rpcUrl, state.buyer.secret)
  return paymentReport(await observePayment(ledger, state.parties, call))
}

/** Pays with the key in `BUYER_SECRET`; prints the answer and the transaction, or all of it as JSON. */
async function payUrl({ url, rpc }: Target, json: boolean): Promise<string> {
  const { BUYER_SECRET: secret } = process.env
  if (!secret) throw new UsageError("BUYER_SECRET must hold the payer's seed")
  const call = await payWith(url, rpc, secret)
  return json ? `${JSON.stringify(call)}\n` : `${call.body}\n${call.settlement.transaction}\n`
}

function payWith(url: string, rpcUrl: string, secret: string): Promise<PaidCall> {
  if (isOnThisMachine(new URL(rpcUrl).hostname)) stayOnThisMachine()
  return payFor(url, { secret, network: DEMO_NETWORK, rpcUrl, clock: systemClock })
}

/** As NODE_EXTRA_CA_CERTS does, which a running process cannot set for itself. */
function trust(caFile: string): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), readFileSync(caFile, 'utf8')])
}

/** The stock client's HTTP library would send requests for this machine to a proxy. */
function dropProxies(): void {
  for (const name of Object.keys(process.env)) {
    if (/^(https?|all)_proxy$/i.test(name)) delete process.env[name]
  }
}
