import { formatPrice } from '../../../buying/offer/usdc.ts'
import { PayFailure } from '../../../buying/outcome/pay-failure.ts'
import { readReference, type SignedPayment } from '../../../buying/outcome/payment-reference.ts'
import {
  type AuthorizationOutcome,
  authorizationOutcome,
  type UnexplainedBecause,
} from '../../../buying/sign/signed-authorization.ts'
import { networkProblem } from '../../../buying/sign/why-not-signed.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { untilAborted } from '../../../platform/core/time/until-aborted.ts'
import { exitOfSignal, Stopped } from '../../../service/process/stop-signals.ts'
import { NetworkInfoFailure } from '../../../stellar/rpc/network-info.ts'
import { RpcError } from '../../../stellar/rpc/rpc.ts'
import { rpcClient } from '../../../stellar/rpc/rpc-client.ts'
import { personTable, type Row } from '../../command-line/person-table.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { readRunningDemo } from '../../development/running-demo.ts'
import { trust } from '../buyer-process.ts'
import type { PayFlags } from './options.ts'
import type { PayContext } from './patience.ts'
import { jsonOf } from './show.ts'
import { rpcOf } from './words.ts'

export interface AskedPayment extends SignedPayment {
  readonly rpcUrl: string
}

/** Throws UsageError. */
export function askedOf(
  [reference, ...rest]: readonly string[],
  { rpc }: PayFlags,
  variables: Readonly<Record<string, string | undefined>>,
): AskedPayment {
  const payment = reference === undefined ? undefined : readReference(reference)
  if (!payment || rest.length > 0) {
    throw new UsageError(
      'status takes the reference of one payment, as svc pay printed it: testnet_... (receipt.reference of --json)',
    )
  }
  return { ...payment, rpcUrl: rpcOf(payment.network, rpc, variables) ?? '' }
}

/** Says what the ledger shows of a payment. @returns the exit code: 0 paid, 1 not paid, 2 unknown */
export async function payStatus(
  asked: AskedPayment,
  { flags: { json, dir }, signals }: PayContext,
): Promise<number> {
  const print = (text: string) => process.stdout.write(text)
  try {
    const seen = await untilAborted(signals.stop, look(asked, dir))
    const { paid, facts, rows } = shown(asked, seen)
    const { authorization, network } = asked
    const { payer, asset, lastLedger } = authorization
    if (json) print(`${jsonOf({ paid, ...facts, network, payer, asset, lastLedger })}\n`)
    else print(personTable(`payment of ${payer} on ${network}`, rows))
    return paid === null ? 2 : paid ? 0 : 1
  } catch (error) {
    const { code, message, hint, exit } = failureOf(error)
    if (json) print(`${jsonOf({ paid: null, error: code, message, hint })}\n`)
    process.stderr.write(`svc pay: ${message}.\n${hint === undefined ? '' : `${hint}\n`}`)
    return exit
  }
}

interface Seen {
  readonly outcome: AuthorizationOutcome
  readonly latestLedger: number
}

async function look(
  { network, authorization, rpcUrl }: AskedPayment,
  dir: string | undefined,
): Promise<Seen> {
  const demo = await readRunningDemo(dir)
  if (demo?.rpcUrl === rpcUrl) trust(demo.caFile)
  const problem = await networkProblem({ rpcUrl, network, clock: systemClock })
  if (problem) throw problem
  const { sequence } = await rpcClient({ url: rpcUrl }).latestLedger()
  return { outcome: await authorizationOutcome(rpcUrl, authorization), latestLedger: sequence }
}

interface Shown {
  readonly paid: boolean | null
  readonly facts: Readonly<Record<string, unknown>>
  readonly rows: readonly Row[]
}

function shown({ network, authorization }: AskedPayment, { outcome, latestLedger }: Seen): Shown {
  const { asset, lastLedger } = authorization
  switch (outcome.state) {
    case 'moved': {
      const { amount, transaction } = outcome
      return {
        paid: true,
        facts: { state: 'settled', amount, transaction },
        rows: [
          ['state', 'settled'],
          ['paid', formatPrice(network, asset, amount)],
          ['transaction', transaction],
        ],
      }
    }
    case 'unused':
      return {
        paid: false,
        facts: { state: 'expired' },
        rows: [['state', `not paid: it expired with ledger ${lastLedger}, and moved nothing`]],
      }
    case 'unexplained':
      return {
        paid: null,
        facts: { state: 'unexplained', because: outcome.because },
        rows: [['state', `unknown: ${unexplained[outcome.because]}`]],
      }
    case 'open':
      return {
        paid: null,
        facts: { state: 'open', latestLedger },
        rows: [
          ['state', 'open: not paid so far, and it can still be settled'],
          ['until', `ledger ${lastLedger}; the latest one is ${latestLedger}`],
        ],
      }
  }
}

/** Why the ledger cannot say whether an expired payment was taken. */
export const unexplained: Readonly<Record<UnexplainedBecause, string>> = {
  not_retained: 'the RPC no longer has the ledgers in which it could be taken',
  unknown_transfer: 'the wallet paid something in a transaction that the RPC does not show in full',
}

/** Explains why the ledger could not be asked; this proves nothing about the payment. */
function failureOf(error: unknown) {
  if (error instanceof Stopped) {
    const hint = 'The ledger was not asked.'
    return { code: 'stopped', message: error.message, hint, exit: exitOfSignal(error.signal) }
  }
  const exit = 2
  if (error instanceof PayFailure || error instanceof NetworkInfoFailure) {
    const { code, message, hint } = error
    return { code, message, hint, exit }
  }
  if (!(error instanceof RpcError)) throw error
  const hint =
    'An RPC keeps the ledgers of some days: name another one with --rpc, or look at the account of the payer.'
  return {
    code: 'rpc_unreadable',
    message: `the Stellar RPC cannot say: ${error.message}`,
    hint,
    exit,
  }
}
