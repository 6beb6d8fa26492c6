import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import { decimalXlm } from '../../platform/core/amounts/stroops.ts'
import { passphrases, usdcIssuers } from '../../platform/core/caip2.ts'
import { connectionProblem } from '../../platform/core/errors/connection-problem.ts'
import { textOf } from '../../platform/core/errors/read-answer.ts'
import { messageOf } from '../../platform/core/text/error-message.ts'
import { printable } from '../../platform/core/text/printable.ts'
import { type Clock, systemClock } from '../../platform/core/time/clock.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import { readTrustlineBalance, trustlineKey } from '../../stellar/accounts/account-entries.ts'
import { NetworkInfoFailure, readNetworkInfo } from '../../stellar/rpc/network-info.ts'
import type { AccountState } from '../../stellar/rpc/rpc.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { type RpcClient, rpcClient } from '../../stellar/rpc/rpc-client.ts'
import { trustlineEnvelope } from '../../stellar/transactions/trustline-envelope.ts'

export const FUNDED_NETWORK = 'stellar:testnet'
const USDC_ISSUER = usdcIssuers[FUNDED_NETWORK]
const USDC_DECIMALS = 7

/** Testnet closes a ledger about every 5 s; friendbot, a trustline and a payment take one each. */
const TIME_LIMIT_MS = 120_000
const POLL_MS = 500
/** The network's smallest fee of one operation is 100; a busy network asks for more, up to this. */
const TRUSTLINE_FEE = 100_000n

/** The account was not, or not completely, funded. The message is a sentence, `hint` another one. */
export class FundingFailure extends Error {
  override readonly name = 'FundingFailure'
  readonly code: string
  readonly hint: string | undefined

  constructor(code: string, message: string, hint?: string, cause?: unknown) {
    super(message, { cause })
    this.code = code
    this.hint = hint
  }
}

export interface NewWallet {
  readonly address: string
  readonly secret: string
}

/** Decimal amounts, as the ledger has them. */
export interface Funds {
  readonly xlm: string
  readonly usdc: string
}

export interface FundingOptions {
  readonly rpcUrl: string
  readonly signal: AbortSignal
  /** Called with a sentence after each step. */
  readonly onProgress: (sentence: string) => void
  readonly clock?: Clock
}

/**
 * Funds a new account on testnet, or on a network with testnet's passphrase: XLM from the network's friendbot,
 * a trustline to USDC, and USDC where the network has a faucet for it (the embedded one). Throws FundingFailure,
 * and the signal's reason.
 */
export async function fundWallet(wallet: NewWallet, options: FundingOptions): Promise<Funds> {
  const { clock = systemClock, signal } = options
  const limit = { clock, ms: TIME_LIMIT_MS, signal }
  try {
    return await withTimeLimit(limit, (limited) => fund(wallet, { ...options, signal: limited }))
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof FundingFailure) throw error
    if (error instanceof NetworkInfoFailure) {
      throw new FundingFailure(error.code, error.message, error.hint, error)
    }
    if (error instanceof RpcError || error instanceof TimeLimitExceeded) {
      const says = `the Stellar RPC ${new URL(options.rpcUrl).origin}: ${messageOf(error)}`
      throw new FundingFailure('rpc_unreachable', says, undefined, error)
    }
    throw error
  }
}

async function fund(wallet: NewWallet, options: FundingOptions): Promise<Funds> {
  const { rpcUrl, signal, onProgress, clock = systemClock } = options
  const friendbot = await friendbotOf(rpcUrl, { clock, signal })
  const rpc = rpcClient({ url: rpcUrl, allowHttp: true, clock })

  await ask(withQuery(friendbot, { addr: wallet.address }), 'friendbot', signal)
  const account = await poll({ clock, signal }, async () =>
    (await rpc.accounts([wallet.address], signal)).get(wallet.address),
  )
  onProgress(`friendbot sent ${decimalXlm(account.balance)} XLM`)

  await addTrustline(wallet, account, { rpc, clock, signal })
  onProgress('the account has a trustline to USDC')

  const faucet = faucetBeside(friendbot)
  const query = { addr: wallet.address, asset: 'USDC' }
  if (faucet && (await ask(withQuery(faucet, query), 'faucet', signal))) {
    onProgress('the faucet sent USDC')
  }
  return readFunds(wallet.address, rpc, signal)
}

/** Throws FundingFailure for a network without friendbot, and for any but testnet. */
async function friendbotOf(
  rpcUrl: string,
  { clock, signal }: { clock: Clock; signal: AbortSignal },
): Promise<URL> {
  const { passphrase, friendbotUrl } = await readNetworkInfo(rpcUrl, { clock, signal })
  const name = `the Stellar RPC ${new URL(rpcUrl).origin}`
  if (passphrase === passphrases['stellar:pubnet']) {
    const says = `${name} is of the public network, where XLM and USDC are real money and no faucet gives them away`
    throw new FundingFailure('pubnet', says, 'Send XLM to the address from a wallet instead.')
  }
  if (passphrase !== passphrases[FUNDED_NETWORK]) {
    throw new FundingFailure(
      'other_network',
      `${name} is of another network than ${FUNDED_NETWORK}`,
    )
  }
  const friendbot = URL.parse(friendbotUrl ?? '')
  if (friendbot) return friendbot
  throw new FundingFailure(
    'no_friendbot',
    `${name} names no friendbot that gives XLM away`,
    'Name another Stellar RPC of testnet with --rpc.',
  )
}

/** The embedded network has a faucet for USDC beside its friendbot; testnet's friendbot has another path. */
function faucetBeside(friendbot: URL): URL | undefined {
  return friendbot.pathname === '/friendbot' ? new URL('/faucet', friendbot) : undefined
}

function withQuery(url: URL, query: Readonly<Record<string, string>>): URL {
  const result = new URL(url)
  for (const [name, value] of Object.entries(query)) result.searchParams.set(name, value)
  return result
}

/** @returns whether it paid; false when there is nothing at the address. Throws FundingFailure. */
async function ask(url: URL, name: string, signal: AbortSignal): Promise<boolean> {
  const who = `${name} ${url.origin}${url.pathname}`
  let response: Response
  let text: string
  try {
    response = await fetch(url, { signal })
    text = await textOf(response)
  } catch (error) {
    signal.throwIfAborted()
    throw new FundingFailure('faucet_unreachable', `${who} ${connectionProblem(error).says}`)
  }
  if (response.ok) return true
  if (response.status === 404 && name === 'faucet') return false
  const says = printable(text).slice(0, 200)
  throw new FundingFailure('faucet_refused', `${who} answered ${response.status}: ${says}`)
}

interface LedgerAccess {
  readonly rpc: RpcClient
  readonly clock: Clock
  readonly signal: AbortSignal
}

async function addTrustline(
  { secret }: NewWallet,
  { sequence }: AccountState,
  { rpc, clock, signal }: LedgerAccess,
): Promise<void> {
  const { closeTime } = await rpc.latestLedger(signal)
  const envelope = trustlineEnvelope({
    passphrase: passphrases[FUNDED_NETWORK],
    secret,
    sequence,
    code: 'USDC',
    issuer: USDC_ISSUER,
    fee: TRUSTLINE_FEE,
    maxTime: BigInt(closeTime) + BigInt(TIME_LIMIT_MS / 1_000),
  })
  // Sending the same bytes again is harmless, and the network may be busy the first time.
  const applied = await poll({ clock, signal }, async () => {
    const found = await rpc.transaction(envelope.hash, signal)
    if (found.status !== 'NOT_FOUND') return found
    const { status, resultCode } = await rpc.send(envelope.envelopeXdr, signal)
    if (status === 'ERROR' && resultCode !== 'txBadSeq') {
      throw new FundingFailure(
        'trustline_refused',
        `the network refused the trustline: ${resultCode}`,
      )
    }
    return undefined
  })
  if (applied.status === 'SUCCESS') return
  const why = applied.operationCode ?? applied.resultCode
  throw new FundingFailure('trustline_refused', `the trustline failed on the ledger: ${why}`)
}

async function readFunds(address: string, rpc: RpcClient, signal: AbortSignal): Promise<Funds> {
  const account = (await rpc.accounts([address], signal)).get(address)
  const key = trustlineKey(address, 'USDC', USDC_ISSUER)
  const { entries } = await rpc.ledgerEntries([key], signal)
  const usdc = entries[0] && readTrustlineBalance(entries[0].xdr)
  return {
    xlm: decimalXlm(account?.balance ?? 0n),
    usdc: decimalAmount(usdc ?? 0n, USDC_DECIMALS),
  }
}

/** Looks again until there is something; the caller's signal ends it. */
async function poll<T>(
  { clock, signal }: { clock: Clock; signal: AbortSignal },
  look: () => Promise<T | undefined>,
): Promise<T> {
  while (true) {
    const found = await look()
    if (found !== undefined) return found
    await clock.sleep(POLL_MS, signal)
  }
}
