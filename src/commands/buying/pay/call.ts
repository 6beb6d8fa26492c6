import { dirname } from 'node:path'
import { Budget } from '../../../buying/budget/budget.ts'
import { sellers } from '../../../buying/mcp/seller/sellers.ts'
import { USDC_DECIMALS } from '../../../buying/offer/usdc.ts'
import { PayFailure, payFailures } from '../../../buying/outcome/pay-failure.ts'
import { buy } from '../../../buying/pay/buy.ts'
import { quotePurchase } from '../../../buying/pay/quote-purchase.ts'
import { callTimer, type PaidCall } from '../../../buying/pay/timed-call.ts'
import { quote as ask } from '../../../buying/quote/quote.ts'
import { quoteFacts } from '../../../buying/quote/quote-facts.ts'
import { refuseOffer } from '../../../buying/quote/refuse-offer.ts'
import { tokenDecimals } from '../../../buying/quote/token-decimals.ts'
import type { SellerCall, SellerHttp } from '../../../buying/seller/seller-http.ts'
import { type PayerKey, walletOf } from '../../../buying/sign/sign-payment.ts'
import { DemoFailure, explainDemoFailure } from '../../../demo/demo-failure.ts'
import { ledgerReader } from '../../../demo/observe/ledger-reader.ts'
import { type ObservedPayment, observePayment } from '../../../demo/observe/observed-payment.ts'
import { paymentReport } from '../../../demo/start/report.ts'
import { DEMO_NETWORK, paymentsFile } from '../../../demo/state/demo-state.ts'
import { isOnThisMachine, stayOnThisMachine } from '../../../demo/this-machine-only.ts'
import { unitsOfDecimal } from '../../../platform/core/amounts/decimal.ts'
import { type NetworkId, usdcContracts } from '../../../platform/core/caip2.ts'
import { messageOf } from '../../../platform/core/text/error-message.ts'
import { typed } from '../../../platform/core/text/typed-command.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { untilAborted } from '../../../platform/core/time/until-aborted.ts'
import { exitOfSignal, Stopped } from '../../../service/process/stop-signals.ts'
import { printWhole } from '../../command-line/print.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { readRunningDemo } from '../../development/running-demo.ts'
import { readBuyerKey } from '../buyer-key.ts'
import { dropProxies, trust } from '../buyer-process.ts'
import { defaultBudgetFile } from '../default-budget-file.ts'
import { uptoContractsOf } from '../upto-contracts.ts'
import { askLater } from './ask-later.ts'
import type { PayFlags } from './options.ts'
import { type PayContext, type PaySignals, withPatience } from './patience.ts'
import { proofFile } from './proof-file.ts'
import { cutNotice, failureJson, jsonOf, shownCall, shownFailure, shownQuote } from './show.ts'
import type { PayWords } from './words.ts'

/** The most that a call of the demo costs without `--max`, in units of USDC. */
const DEMO_MAX = '1'

/** Makes one paid call, and says what became of it, also when signals end it. @returns the exit code */
export async function payCall(words: PayWords, context: PayContext): Promise<number> {
  dropProxies()
  await using http = sellers()
  try {
    await (words.target ? payUrl : payDemo)(words, context, http)
    return 0
  } catch (error) {
    return await explain(error, context.flags)
  }
}

/** What was asked for could not be written, or not whole. `message` is a sentence without a full stop. */
class NotWritten extends Error {
  override readonly name = 'NotWritten'
}

/** Throws NotWritten. @param signal ends the wait for a reader that does not read */
async function print(text: string, signal: AbortSignal): Promise<void> {
  const lost = await untilAborted(signal, printWhole(text)).catch((error: Error) => error)
  if (lost) throw new NotWritten(`the answer could not be written: ${messageOf(lost)}`)
}

/** Says why, on standard output too with `--json`. @returns the exit code */
async function explain(error: unknown, { json, quote }: PayFlags): Promise<number> {
  if (error instanceof NotWritten) {
    const { message } = error
    say(quote ? message : `it is paid, and ${message}. ${RUN_AGAIN_FOR_ANSWER}`)
    return quote ? 1 : payFailures.paid_without_answer.exit
  }
  if (error instanceof PayFailure) {
    if (json) await printWhole(failureJson(error))
    process.stderr.write(shownFailure(error))
    return payFailures[error.code].exit
  }
  if (error instanceof Stopped) {
    const { message } = error
    if (json) await printWhole(`${jsonOf({ paid: false, error: 'stopped', message })}\n`)
    process.stderr.write(`svc pay: ${message}. Nothing was paid.\n`)
    return exitOfSignal(error.signal)
  }
  const sentence = explainDemoFailure(error)
  if (sentence === undefined) throw error
  if (json) await printWhole(`${jsonOf({ paid: false, error: 'no_demo', message: sentence })}\n`)
  process.stderr.write(`svc pay: ${sentence}\n`)
  return 1
}

async function payUrl(words: PayWords, context: PayContext, http: SellerHttp): Promise<void> {
  const { target, call, asset, key } = words
  const { url, network, rpc = '' } = target ?? { url: '', network: DEMO_NETWORK }
  const { flags, signals } = context
  const wanted = { http, call: { ...call, url }, network, asset }
  const limit = () => untilAborted(signals.stop, limitOf(words, network, rpc))
  if (flags.quote) return quoteOnly(wanted, await limit(), context)
  const payer = await untilAborted(signals.stop, readBuyerKey(key, process.env))
  const maxAmount = (await limit()) ?? 0n
  const file = flags['budget-file'] ?? defaultBudgetFile(network, process.env)
  const paying = { ...wanted, maxAmount, payer, rpc, rpcToName: flags.rpc, file, flags }
  await payWith(paying, signals, async (call) => shownPaid(call, flags.json))
}

function shownPaid(call: PaidCall, json: boolean): string {
  const notice = cutNotice(call)
  if (notice !== undefined) say(`${notice}.`)
  return shownCall(call, json)
}

const say = (sentence: string) => process.stderr.write(`svc pay: ${sentence}\n`)

/** `--max` in base units of the token; undefined without it. Throws UsageError when the token has fewer decimals. */
async function limitOf(
  { max, asset }: PayWords,
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
  throw new UsageError(`--max has more than the ${decimals} decimals of the token`)
}

/** Throws PayFailure: what cannot be recorded is not signed. */
function openRecord(file: string): Budget {
  try {
    return new Budget({ file, limit: 0n, clock: systemClock })
  } catch (cause) {
    throw new PayFailure('not_recorded', `the budget file ${file}: ${messageOf(cause)}`, {
      hint: 'Nothing was paid. Each payment is recorded before it is sent, so that none is made twice. Name another file with --budget-file.',
      cause,
    })
  }
}

interface Wanted {
  readonly http: SellerHttp
  readonly call: SellerCall
  readonly network: NetworkId
  readonly asset?: string | undefined
}

/** Prints the price. With a limit it also refuses what `svc pay` would. */
async function quoteOnly(
  { http, call, network, asset }: Wanted,
  maxAmount: bigint | undefined,
  { flags, signals: { stop: signal, now } }: PayContext,
): Promise<void> {
  const quoted = await ask(http, call, { network, asset, limits: { signal } })
  const refused = maxAmount !== undefined && refuseOffer(quoted.offer, { maxAmount, asset })
  if (refused) throw refused
  await print(shownQuote(quoteFacts(quoted), flags.json), now)
}

interface Paying extends Wanted {
  /** The file in which it is recorded. */
  readonly file: string
  readonly maxAmount: bigint
  readonly payer: PayerKey
  readonly rpc: string
  /** The value for `--rpc` of a later command; undefined when it needs none. */
  readonly rpcToName: string | undefined
  readonly flags: PayFlags
}

/** Pays and prints what `shown` makes of the call. The purchase is over once that is written. */
async function payWith(
  { http, call, network, asset, ...paying }: Paying,
  signals: PaySignals,
  shown: (call: PaidCall) => Promise<string>,
): Promise<void> {
  const { maxAmount, payer, rpc, rpcToName, file, flags } = paying
  const maxWaitMs = flags.wait === undefined ? undefined : flags.wait * 1_000
  const saveTo = flags['save-receipt']
  // Opened first: when it cannot be, nothing is paid.
  await using proof = saveTo === undefined ? undefined : await proofFile(saveTo)
  using budget = openRecord(file)
  if (isOnThisMachine(new URL(rpc).hostname)) stayOnThisMachine()
  const asked = { network, asset, budget, limits: { signal: signals.stop } }
  const quoted = await quotePurchase(http, call, asked)
  const wallet = walletOf(payer, network, rpc, uptoContractsOf(process.env))
  const limits = { maxAmount, asset }
  try {
    const { onStep, callOf } = callTimer(systemClock)
    await withPatience(signals, say, ({ answered, ...ends }) =>
      buy(quoted, limits, wallet, {
        ...{ http, clock: systemClock, budget, maxWaitMs, onStep, ...ends },
        say: (sentence) => say(`${sentence}.`),
        // A budget counts nothing of it: a person has named the most that it may cost.
        reserve: () => budget.reserve(0n, quoted.call),
        handOver: async (paid) => {
          answered()
          await print(await shown(callOf(paid)), signals.now)
          // Last, so that the same command finds no file when the answer could not be written.
          await proof?.save(paid, say).catch((error: unknown) => {
            throw new NotWritten(`its receipt could not be saved: ${messageOf(error)}`)
          })
        },
      }),
    )
  } catch (error) {
    if (!(error instanceof PayFailure) || !error.receipt || error.paid === true) throw error
    const hints = [error.hint, askLater(error.receipt, rpcToName), RUN_AGAIN]
    const hint = hints.filter(Boolean).join(' ')
    throw error.with({ hint })
  }
}

const RUN_AGAIN = 'The same command again pays nothing more while it is open.'
const RUN_AGAIN_FOR_ANSWER =
  'The same command again pays nothing more, and gets the answer from a seller that knows payment identifiers.'

/** Pays the API of the running demo and reports how every balance changed. */
async function payDemo(words: PayWords, context: PayContext, http: SellerHttp): Promise<void> {
  const { flags, signals } = context
  const state = await readRunningDemo(flags.dir)
  if (!state) {
    throw new DemoFailure('no demo runs here', `Start one in another terminal: ${typed().demo()}`)
  }
  trust(state.caFile)
  const { path, call } = words
  const url = path === undefined ? state.paidUrl : new URL(state.paidUrl).origin + path
  const wanted = { http, call: { ...call, url }, network: DEMO_NETWORK } as const
  const limit = await limitOf(words, DEMO_NETWORK, state.rpcUrl)
  if (flags.quote) return quoteOnly(wanted, limit, context)
  const maxAmount = limit ?? unitsOfDecimal(DEMO_MAX, USDC_DECIMALS) ?? 0n
  const payer = { secret: state.buyer.secret }
  const { rpcUrl: rpc, caFile } = state
  const file = flags['budget-file'] ?? paymentsFile(dirname(caFile))
  const paying = { ...wanted, maxAmount, payer, rpc, rpcToName: rpc, file, flags }
  const ledger = ledgerReader(state.networkUrl, state.passphrase)
  const observed = await observePayment(ledger, state.parties, signals)
  await payWith(paying, signals, async (call) => {
    try {
      return shownObserved(await observed(call), flags.json)
    } catch (error) {
      say(`the payment was made, and what it changed cannot be shown: ${messageOf(error)}`)
      return shownPaid(call, flags.json)
    }
  })
}

const shownObserved = ({ call, ...observed }: ObservedPayment, json: boolean): string =>
  json ? `${jsonOf({ paid: true, ...call, ...observed })}\n` : paymentReport({ call, ...observed })
