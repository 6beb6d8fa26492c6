import { PayFailure, payFailures } from '../buyer/pay-failure.ts'
import { quote as ask } from '../buyer/quote.ts'
import { quoteFacts } from '../buyer/quote-facts.ts'
import { refuseOffer } from '../buyer/refuse-offer.ts'
import { type SellerCall, type SellerHttp, sellerHttp } from '../buyer/seller-http.ts'
import { walletOf } from '../buyer/sign-payment.ts'
import { type PaidCall, payTimed } from '../buyer/timed-call.ts'
import { tokenDecimals } from '../buyer/token-decimals.ts'
import { USDC_DECIMALS } from '../buyer/usdc.ts'
import { type NetworkId, usdcContracts } from '../core/caip2.ts'
import { systemClock } from '../core/clock.ts'
import { unitsOfDecimal } from '../core/decimal.ts'
import { typed } from '../core/typed-command.ts'
import { DemoFailure, explainDemoFailure } from '../demo/demo-failure.ts'
import { DEMO_NETWORK } from '../demo/demo-state.ts'
import { ledgerReader } from '../demo/ledger-reader.ts'
import { type ObservedPayment, observePayment } from '../demo/observed-payment.ts'
import { paymentReport } from '../demo/report.ts'
import { isOnThisMachine, stayOnThisMachine } from '../demo/this-machine-only.ts'
import { keyVariables, readBuyerKey } from './buyer-key.ts'
import { dropProxies, trust } from './buyer-process.ts'
import { command } from './command/command.ts'
import { printWhole } from './command/print.ts'
import { UsageError } from './command/usage-error.ts'
import { notConfirmedExit } from './confirm.ts'
import { payResolve, resolveFlags, resolvingOf } from './pay/resolve.ts'
import {
  assetOf,
  callOf,
  demoPathOf,
  keyPlaceOf,
  maxOf,
  nameOfMax,
  payFlags,
  targetOf,
} from './pay-options.ts'
import { cutNotice, failureJson, jsonOf, shownCall, shownFailure, shownQuote } from './pay-show.ts'
import { readRunningDemo } from './running-demo.ts'

/** The most that a call of the demo costs without `--max`, in units of USDC. */
const DEMO_MAX = '1'

export const pay = command({
  name: 'pay',
  summary: 'one paid call with the stock x402 client',
  usage: [
    'svc pay                   pays the API of the demo that runs here',
    'svc pay /PATH             pays another path of it: /forecast, whose price depends on its answer',
    'svc pay URL --max AMOUNT  pays any x402 API',
    'svc pay URL --quote       prints its price and signs nothing',
    'svc pay resolve           shows payments of an agent that only you can end: resolve ID --as paid|unpaid',
  ],
  flags: { ...payFlags, ...resolveFlags },
  positionals: (words, flags) => ({
    resolving: words[0] === 'resolve' ? resolvingOf(words.slice(1), flags, process.env) : undefined,
    target: words[0] === 'resolve' ? undefined : targetOf(words, flags, process.env),
    path: demoPathOf(words),
    call: callOf(flags),
    max: maxOf(flags),
    asset: assetOf(flags),
    key: keyPlaceOf(flags),
  }),
  usageFailure: (message) => ({ paid: false, error: 'usage', message }),
  notes: [
    'Asks for the price, asks again, and pays only if the seller still wants the same: at most once, at most',
    '--max, on this network, in this token. Follows no redirect. The demo costs 1 USDC at most without --max.',
    'Prints the body of the answer and the hash of the transaction; for the demo a report. A metered call',
    '(scheme upto) also prints the ceiling that was signed, and what was used and paid.',
    'With --json a failure is {"paid","error","message","hint","transaction","answer","receipt"}, where paid is',
    'null if the outcome is unknown, error a fixed code, and answer what the seller said.',
  ],
  env: [
    ...keyVariables,
    [
      'TESTNET_RPC_URL',
      'the Stellar RPC without --rpc; of several, the first. PUBNET_RPC_URL likewise',
    ],
    [
      'NODE_EXTRA_CA_CERTS',
      'PEM file of a certificate authority to trust, as for the embedded network',
    ],
  ],
  exits: {
    0: 'paid, or with --quote the price was printed',
    1: 'not paid, and why',
    2: 'a signed payment was sent, and there is no good answer: look before paying again',
    ...notConfirmedExit,
    78: 'there is no seed, or what should hold it holds none',
  },
  example: 'svc pay https://api.example/joke --max 0.05',
  run: async ({ positionals, flags, stop }) => {
    if (positionals.resolving) return payResolve(positionals.resolving, flags, stop)
    dropProxies()
    await using http = sellerHttp()
    try {
      await printWhole(await (positionals.target ? payUrl : payDemo)(positionals, flags, http))
      return 0
    } catch (error) {
      return explain(error, flags.json)
    }
  },
})

type Parsed = {
  readonly target: ReturnType<typeof targetOf>
  readonly path: string | undefined
  readonly call: Omit<SellerCall, 'url'>
  readonly max: string | undefined
  readonly asset: string | undefined
  readonly key: ReturnType<typeof keyPlaceOf>
}
type PayFlagValues = Parameters<typeof targetOf>[1]

/** Says why, on standard output too with `--json`. @returns the exit code */
function explain(error: unknown, json: boolean): number {
  if (error instanceof PayFailure) {
    if (json) process.stdout.write(failureJson(error))
    process.stderr.write(shownFailure(error))
    return payFailures[error.code].exit
  }
  const sentence = explainDemoFailure(error)
  if (sentence === undefined) throw error
  if (json)
    process.stdout.write(`${jsonOf({ paid: false, error: 'no_demo', message: sentence })}\n`)
  process.stderr.write(`svc pay: ${sentence}\n`)
  return 1
}

async function payUrl(parsed: Parsed, flags: PayFlagValues, http: SellerHttp): Promise<string> {
  const { target, call, asset, key } = parsed
  const { url, network, rpc = '' } = target ?? { url: '', network: DEMO_NETWORK }
  const { json } = flags
  const wanted = { http, call: { ...call, url }, network, asset }
  if (flags.quote) return quoteOnly(wanted, await limitOf(parsed, flags, network, rpc), json)
  const secret = await readBuyerKey(key, process.env)
  const maxAmount = (await limitOf(parsed, flags, network, rpc)) ?? 0n
  return shownPaid(await payWith({ ...wanted, maxAmount, secret, rpc }), json)
}

function shownPaid(call: PaidCall, json: boolean): string {
  const notice = cutNotice(call)
  if (notice !== undefined) process.stderr.write(`svc pay: ${notice}.\n`)
  return shownCall(call, json)
}

/** `--max` in base units of the token; undefined without it. Throws UsageError when the token has fewer decimals. */
async function limitOf(
  { max, asset }: Parsed,
  flags: PayFlagValues,
  network: NetworkId,
  rpcUrl: string,
): Promise<bigint | undefined> {
  if (max === undefined) return undefined
  const token = asset ?? usdcContracts[network]
  const decimals = await tokenDecimals({ network, rpcUrl }, token)
  if (decimals === undefined) {
    throw new UsageError(`--asset is a token whose contract says how many decimals it has`)
  }
  const units = unitsOfDecimal(max, decimals)
  if (units !== undefined) return units
  throw new UsageError(`${nameOfMax(flags)} has more than the ${decimals} decimals of the token`)
}

interface Wanted {
  readonly http: SellerHttp
  readonly call: SellerCall
  readonly network: NetworkId
  readonly asset?: string | undefined
}

/** With a limit it also refuses what `svc pay` would. */
async function quoteOnly(
  { http, call, network, asset }: Wanted,
  maxAmount: bigint | undefined,
  json: boolean,
): Promise<string> {
  const quoted = await ask(http, call, { network, asset })
  const refused = maxAmount !== undefined && refuseOffer(quoted.offer, { maxAmount, asset })
  if (refused) throw refused
  return shownQuote(quoteFacts(quoted), json)
}

interface Paying extends Wanted {
  readonly maxAmount: bigint
  readonly secret: string
  readonly rpc: string
}

async function payWith({ http, call, network, asset, ...paying }: Paying): Promise<PaidCall> {
  const { maxAmount, secret, rpc } = paying
  if (isOnThisMachine(new URL(rpc).hostname)) stayOnThisMachine()
  const quoted = await ask(http, call, { network, asset })
  const wallet = walletOf(secret, network, rpc)
  const limits = { maxAmount, asset }
  return (await payTimed(quoted, limits, wallet, { http, clock: systemClock })).call
}

/** Pays the API of the running demo and reports how every balance changed. */
async function payDemo(parsed: Parsed, flags: PayFlagValues, http: SellerHttp): Promise<string> {
  const state = await readRunningDemo(flags.dir)
  if (!state) {
    throw new DemoFailure('no demo runs here', `Start one in another terminal: ${typed().demo()}`)
  }
  trust(state.caFile)
  const { path, call } = parsed
  const url = path === undefined ? state.paidUrl : new URL(state.paidUrl).origin + path
  const wanted = { http, call: { ...call, url }, network: DEMO_NETWORK } as const
  const limit = await limitOf(parsed, flags, DEMO_NETWORK, state.rpcUrl)
  if (flags.quote) return quoteOnly(wanted, limit, flags.json)
  const maxAmount = limit ?? unitsOfDecimal(DEMO_MAX, USDC_DECIMALS) ?? 0n
  const paying = { ...wanted, maxAmount, secret: state.buyer.secret, rpc: state.rpcUrl }
  const ledger = ledgerReader(state.networkUrl, state.passphrase)
  return shownObserved(
    await observePayment(ledger, state.parties, () => payWith(paying)),
    flags.json,
  )
}

const shownObserved = ({ call, ...observed }: ObservedPayment, json: boolean): string =>
  json ? `${jsonOf({ paid: true, ...call, ...observed })}\n` : paymentReport({ call, ...observed })
