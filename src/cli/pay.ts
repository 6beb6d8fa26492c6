import { readFileSync } from 'node:fs'
import tls from 'node:tls'
import { Environment } from '../config/environment.ts'
import { systemClock } from '../core/clock.ts'
import { type CallOptions, type Metered, type PaidCall, payFor } from '../demo/buyer.ts'
import { DemoFailure, explainDemoFailure } from '../demo/demo-failure.ts'
import { DEMO_NETWORK } from '../demo/demo-state.ts'
import { ledgerReader } from '../demo/ledger-reader.ts'
import { type ObservedPayment, observePayment } from '../demo/observed-payment.ts'
import { PayFailure, payFailures } from '../demo/pay-failure.ts'
import { paymentReport } from '../demo/report.ts'
import { isOnThisMachine, stayOnThisMachine } from '../demo/this-machine-only.ts'
import { formatPrice } from '../demo/usdc.ts'
import { signerFromSecret } from '../stellar/signer.ts'
import { command } from './command/command.ts'
import { callOf, demoPathOf, payFlags, type Target, targetOf } from './pay-options.ts'
import { readRunningDemo } from './running-demo.ts'

export const pay = command({
  name: 'pay',
  summary: 'one paid call with the stock x402 client',
  usage: [
    'svc pay                   pays the API of the demo that runs from this clone',
    'svc pay /PATH             pays another path of it: /forecast, whose price depends on its answer',
    'svc pay URL --rpc URL     pays any x402 API on stellar:testnet',
  ],
  flags: payFlags,
  positionals: (words, flags) => ({
    target: targetOf(words, flags),
    path: demoPathOf(words),
    call: callOf(flags),
  }),
  usageFailure: (message) => ({ paid: false, error: 'usage', message }),
  notes: [
    'Prints the body of the answer and the hash of the transaction; for the demo a report. A metered call',
    '(scheme upto) also prints the ceiling that was signed, and what was used and paid. Follows no redirect.',
    'With --json a failure is {"paid","error","message","hint","transaction"}, where paid is null if the',
    'outcome is unknown, and error a fixed code.',
  ],
  env: [
    [
      'BUYER_SECRET',
      "the payer's seed, or BUYER_SECRET_FILE with the path of a file that holds it",
    ],
    [
      'NODE_EXTRA_CA_CERTS',
      'PEM file of a certificate authority to trust, as for the embedded network',
    ],
  ],
  exits: {
    0: 'paid',
    1: 'not paid, and why',
    2: 'paid, or the outcome is unknown, and no good answer: look before paying again',
    78: 'BUYER_SECRET holds no seed',
  },
  example: 'svc pay https://api.example/joke --rpc https://soroban-testnet.stellar.org --max 0.05',
  run: async ({ positionals: { target, path, call }, flags: { dir, json } }) => {
    dropProxies()
    try {
      process.stdout.write(
        target
          ? shownCall(await payUrl(target, call), json)
          : shown(await payDemo({ folder: dir, path }, call), json),
      )
      return 0
    } catch (error) {
      return explain(error, json)
    }
  },
})

/** Says why, on standard output too with `--json`. @returns the exit code */
function explain(error: unknown, json: boolean): number {
  if (error instanceof PayFailure) {
    const { code, message, hint, transaction } = error
    const { exit, paid } = payFailures[code]
    if (json) printJson({ paid, error: code, message, hint, transaction })
    process.stderr.write(`svc pay: ${message}.${hint === undefined ? '' : `\n${hint}`}\n`)
    return exit
  }
  const sentence = explainDemoFailure(error)
  if (sentence === undefined) throw error
  if (json) printJson({ paid: false, error: 'no_demo', message: sentence })
  process.stderr.write(`svc pay: ${sentence}\n`)
  return 1
}

const printJson = (value: unknown) => process.stdout.write(`${jsonOf(value)}\n`)

/** Amounts are strings. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member))

function shownCall(call: PaidCall, json: boolean): string {
  if (json) return `${jsonOf({ paid: true, ...call })}\n`
  const { body, settlement, accepted, metered } = call
  const lines = [body, ...(metered ? [meterLine(accepted.asset, metered)] : [])]
  return `${[...lines, settlement.transaction].join('\n')}\n`
}

function meterLine(asset: string, { ceiling, used }: Metered): string {
  const amount = (units: bigint) => formatPrice(DEMO_NETWORK, asset, units)
  const paid =
    used === null ? 'used and paid: the answer does not say' : `used and paid ${amount(used)}`
  return `ceiling ${amount(ceiling)}, ${paid}`
}

const shown = ({ call, ...observed }: ObservedPayment, json: boolean): string =>
  json ? `${jsonOf({ paid: true, ...call, ...observed })}\n` : paymentReport({ call, ...observed })

interface DemoCall {
  /** Of the demo; undefined for the usual one. */
  readonly folder: string | undefined
  /** @default the path with a fixed price */
  readonly path: string | undefined
}

/** Pays the API of the running demo and reports how every balance changed. */
async function payDemo({ folder, path }: DemoCall, call: CallOptions): Promise<ObservedPayment> {
  const state = await readRunningDemo(folder)
  if (!state) {
    throw new DemoFailure('no demo runs here', 'Start one in another terminal: make run.')
  }
  trust(state.caFile)
  const ledger = ledgerReader(state.networkUrl, state.passphrase)
  const url = path === undefined ? state.paidUrl : new URL(state.paidUrl).origin + path
  const target = { url, rpc: state.rpcUrl }
  return observePayment(ledger, state.parties, () => payWith(target, state.buyer.secret, call))
}

/** Pays with the key in `BUYER_SECRET`. */
const payUrl = async (target: Target, call: CallOptions): Promise<PaidCall> =>
  payWith(target, buyerSecret(), call)

/** Throws PayFailure, which does not repeat it. */
function buyerSecret(): string {
  const { variable, value, problem } = new Environment(process.env).read('BUYER_SECRET', {
    secret: true,
  })
  const failure = (
    says: string,
    hint = 'svc wallet new --fund makes an account and prints its seed.',
  ) => new PayFailure('bad_seed', `${variable} ${says}`, { hint })
  if (problem !== undefined) {
    throw failure(problem, 'Set either BUYER_SECRET, or BUYER_SECRET_FILE to the path of a file.')
  }
  if (value === undefined) throw failure("must hold the payer's secret seed")
  try {
    signerFromSecret(value)
    return value
  } catch {
    throw failure('holds no secret seed, which is S and 55 more characters')
  }
}

function payWith({ url, rpc }: Target, secret: string, call: CallOptions): Promise<PaidCall> {
  if (isOnThisMachine(new URL(rpc).hostname)) stayOnThisMachine()
  return payFor(url, { secret, network: DEMO_NETWORK, rpcUrl: rpc, clock: systemClock, call })
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
