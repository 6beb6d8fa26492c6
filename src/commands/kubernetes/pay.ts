import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AskFacilitator, TestPaymentResult } from '../../buying/pay/test-payment.ts'
import { FundingFailure, fundWallet } from '../../buying/wallet/fund-wallet.ts'
import type { Cluster } from '../../kubernetes/plugin/cluster/cluster.ts'
import { getPool } from '../../kubernetes/plugin/status/facts.ts'
import { HTTP_PORT } from '../../kubernetes/plugin/status/health.ts'
import { findFacilitator, NotHere, required } from '../../kubernetes/plugin/targets/choose.ts'
import { podBehindService } from '../../kubernetes/plugin/targets/service.ts'
import { type NetworkId, usdcContracts } from '../../platform/core/caip2.ts'
import { textOf } from '../../platform/core/errors/read-answer.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { untilAborted } from '../../platform/core/time/until-aborted.ts'
import { INTERRUPTED } from '../../service/process/exit-codes.ts'
import { Stopped } from '../../service/process/stop-signals.ts'
import { secretOfSeed, signerFromSecret, signerFromSeed } from '../../stellar/accounts/signer.ts'
import { askLater } from '../buying/pay/ask-later.ts'
import { type PaySignals, paySignals, withPatience } from '../buying/pay/patience.ts'
import { columns } from './columns.ts'
import { type KubeFlags, type KubeInput, print, say } from './run.ts'

/** A payment, and the connection to the facilitator that it goes through. */
interface Payment {
  readonly title: string
  readonly network: NetworkId
  readonly rpcUrl: string
  readonly asset: string
  readonly amount: bigint
  readonly ask: AskFacilitator
}

/** A ten-thousandth of USDC. */
const AMOUNT = 1_000n
/** A settlement takes a few ledgers. */
const ANSWER_MS = 90_000

export async function pay(input: KubeInput): Promise<number> {
  const { flags } = input
  const signals = paySignals(input)
  try {
    return await payWith(input, signals)
  } catch (error) {
    if (!(error instanceof Stopped)) throw error
    const { message } = error
    if (flags.json) print(`${JSON.stringify({ paid: false, error: 'stopped', message })}\n`)
    say(`${message}. Nothing was paid.`)
    return INTERRUPTED
  }
}

/** Throws Stopped while nothing was signed. */
async function payWith(input: KubeInput, signals: PaySignals): Promise<number> {
  const { flags } = input
  const { stop } = signals
  const payment =
    flags.url === undefined
      ? await untilAborted(stop, overCluster(input))
      : overUrl(flags, flags.url)
  const { network, rpcUrl, asset } = payment
  if (network === 'stellar:pubnet' && !flags['real-money']) {
    say(
      'The network is stellar:pubnet, where the sponsor pays a fee in real XLM: add --real-money.',
    )
    return 1
  }
  const { makeTestPayment } = await import('../../buying/pay/test-payment.ts')
  const { PayFailure } = await import('../../buying/outcome/pay-failure.ts')
  try {
    const funding = { network, rpcUrl, asset, stop }
    const secret = await buyer(flags, funding)
    const payTo = flags['pay-to'] ?? (await recipient(funding))
    const made = await withPatience(signals, say, ({ beforeSending: beforeSettling, ...ends }) =>
      makeTestPayment({ ...payment, secret, payTo, clock: systemClock, beforeSettling, ...ends }),
    )
    return show({ ...payment, payTo }, made, flags.json)
  } catch (error) {
    if (!(error instanceof PayFailure) && !(error instanceof FundingFailure)) throw error
    const { code, message, hint } = error
    if (flags.json) print(`${JSON.stringify({ paid: false, error: code, message, hint })}\n`)
    say([`${message}.`, hint].filter(Boolean).join(' '))
    return 1
  }
}

function show(
  { title, network, rpcUrl, payTo }: Payment & { readonly payTo: string },
  made: TestPaymentResult,
  json: boolean,
): number {
  const { payer, trace, isVerified, invalidReason, settle } = made
  const paid = settle ? settle.paid : false
  if (json) {
    const result = { paid, network, payer, payTo, ...trace, invalidReason, settle: settle ?? null }
    print(`${JSON.stringify(result)}\n`)
  } else {
    const verify = isVerified ? 'valid' : 'unknown'
    const outcome = paid === null ? 'unknown' : paid ? 'success' : 'refused'
    const rows = [
      ['payment', `${title} on ${network}`],
      ['buyer', payer],
      ['pay to', payTo],
      ['verify', invalidReason === null ? verify : `invalid: ${invalidReason}`],
      ...(settle ? [['settle', settle.reason ? `${outcome}: ${settle.reason}` : outcome]] : []),
      ...(settle?.transaction ? [['transaction', settle.transaction]] : []),
    ]
    print(`${columns(rows).join('\n')}\n`)
  }
  if (paid === null) {
    const look = `The payment may have been made, or may still be: look at the account ${payer} before you try again.`
    say(`${look} ${askLater(trace, rpcUrl)}`)
    return 2
  }
  return paid ? 0 : 1
}

function overUrl({ network = 'stellar:testnet', ...flags }: KubeFlags, url: string): Payment {
  const headers = headersOf(flags['api-key-file'])
  return {
    title: new URL(url).origin,
    network,
    rpcUrl: flags.rpc ?? '',
    asset: usdcContracts[network],
    amount: AMOUNT,
    ask: async (path, signal, body) => {
      const answer = await fetch(url.replace(/\/$/, '') + path, {
        headers,
        signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
        ...(body !== undefined && { method: 'POST', body }),
      })
      return { status: answer.status, body: await textOf(answer) }
    },
  }
}

async function overCluster({ cluster, target, flags }: KubeInput): Promise<Payment> {
  const { metadata, spec } = await findFacilitator(cluster, target?.name)
  const { name, namespace = cluster.namespace } = metadata
  const served = await Promise.all(
    (spec.networks ?? []).map(async ({ channelPool, assets }) => {
      const title = `ChannelPool ${channelPool} in the namespace ${namespace}`
      const pool = required(await getPool(cluster, namespace, channelPool), title)
      return { network: pool.spec.network as NetworkId, urls: pool.spec.rpc?.urls ?? [], assets }
    }),
  )
  const fitting = served.filter(({ network }) => (flags.network ?? network) === network)
  const [one] = fitting
  if (!one || fitting.length > 1) {
    const names = served.map(({ network }) => network).join(' and ')
    throw new NotHere(`Facilitator ${name} serves ${names}. Name one of them with --network.`)
  }
  const [asset] = one.assets ?? []
  const least = BigInt(asset?.minAmount ?? 0)
  const pod = await podBehindService(cluster, name, namespace)
  return {
    title: `Facilitator ${name} (pod ${pod})`,
    network: one.network,
    rpcUrl: flags.rpc ?? firstOf(one.urls, one.network),
    asset: asset?.contract ?? usdcContracts[one.network],
    amount: least > AMOUNT ? least : AMOUNT,
    ask: askPodOf(cluster, { namespace, pod }, headersOf(flags['api-key-file'])),
  }
}

/** The command reads no Secret. */
function firstOf([url]: readonly string[], network: NetworkId): string {
  if (url !== undefined) return url
  throw new NotHere(`The RPC endpoints of ${network} are in a Secret. Name one with --rpc.`)
}

const askPodOf =
  (
    cluster: Cluster,
    at: { readonly namespace: string; readonly pod: string },
    headers: Readonly<Record<string, string>>,
  ): AskFacilitator =>
  (path, signal, body) =>
    cluster.ask({
      ...at,
      signal,
      port: HTTP_PORT,
      path,
      headers,
      timeoutMs: ANSWER_MS,
      ...(body !== undefined && { method: 'POST' as const, body }),
    })

const headersOf = (keyFile: string | undefined): Readonly<Record<string, string>> => ({
  'content-type': 'application/json',
  ...(keyFile !== undefined && { 'x-api-key': secretIn(keyFile) }),
})

/** Throws NotHere, which does not repeat the content. */
function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim()
  } catch (error) {
    throw new NotHere(`${file} cannot be read (${Object(error).code}).`)
  }
}

interface Funding {
  readonly network: NetworkId
  readonly rpcUrl: string
  readonly asset: string
  readonly stop: AbortSignal
}

/** The seed of the buyer. Throws FundingFailure, NotHere. */
async function buyer(flags: KubeFlags, funding: Funding): Promise<string> {
  const file = flags['buyer-secret-file']
  if (file === undefined) return newBuyer(funding)
  const secret = secretIn(file)
  try {
    signerFromSecret(secret)
    return secret
  } catch {
    throw new NotHere(`${file} holds no secret seed, which is S and 55 more characters.`)
  }
}

async function newBuyer(funding: Funding): Promise<string> {
  const advice = 'Name an account that holds the token with --buyer-secret-file'
  const { secret, usdc } = await newAccount(funding, `${advice}.`)
  if (usdc === '0' && funding.asset === usdcContracts[funding.network]) {
    throw new FundingFailure(
      'no_usdc',
      'friendbot gives XLM away, and this payment is in USDC',
      `${advice}: svc wallet new --fund --out FILE makes one, and https://faucet.circle.com gives it test USDC.`,
    )
  }
  return secret
}

const recipient = async (funding: Funding): Promise<string> =>
  (await newAccount(funding, 'Name an account of yours with --pay-to.')).address

/** A new account of a test network with a trustline to USDC. Throws FundingFailure. */
async function newAccount({ network, rpcUrl, stop }: Funding, advice: string) {
  if (network === 'stellar:pubnet') {
    throw new FundingFailure('pubnet', 'no account is made with real money', advice)
  }
  const seed = randomBytes(32)
  const made = { secret: secretOfSeed(seed), address: signerFromSeed(seed).address }
  say('a new account is made for this payment')
  const { usdc } = await fundWallet(made, { rpcUrl, signal: stop, onProgress: say })
  return { ...made, usdc }
}
