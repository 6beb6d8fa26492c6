import { payerOf } from '../../../../payments/channels/converge/access.ts'
import { SweepFailure } from '../../../../payments/channels/rotation/sweep-failure.ts'
import {
  type SweepOptions,
  sweepFunds,
} from '../../../../payments/channels/rotation/sweep-funds.ts'
import { readPromisedFees } from '../../../../payments/store/settlements/promised-fees.ts'
import {
  asStroops,
  decimalXlm,
  type Stroops,
  stroopsFromLumens,
} from '../../../../platform/core/amounts/stroops.ts'
import { isLeaking, type Rotation } from '../../references/rotation-state.ts'
import type { Connected } from '../connect/connect.ts'
import type { ConvergeOptions } from '../converge/converge.ts'

/** The sum that a pass sent from the old sponsor to the new one. */
export interface Swept {
  /** Whether nothing is left to send in this phase. */
  readonly isDone: boolean
  readonly amount?: Stroops
  readonly hash?: string
  readonly waits?: string
  readonly problem?: string
}

interface Ends {
  readonly from: Connected | undefined
  readonly to: Connected | undefined
}

const nothing: Swept = { isDone: false }
/** A reserve that a merge freed is worth a transaction; the rest of a settlement's fee is not. */
const LEAST_FREED = 10_000_000n
/** Operations of the transactions that merge the authority, remove the mark and sweep, with their fee bumps. */
const FURTHER_OPERATIONS = 20n

/**
 * Sends what the phase says: in an emergency what the old sponsor can spend, again and again; at the end what it has left. Throws
 * `RpcError`, store errors and what the leadership throws.
 */
export async function sweep(
  rotation: Rotation,
  { from, to }: Ends,
  options: ConvergeOptions,
): Promise<Swept> {
  const address = to?.sponsor ?? rotation.to.address
  if (!from || address === undefined || !isSweeping(rotation)) return nothing
  try {
    const outcome = await sweepFunds({
      ...transactionOf(from, options),
      ...(await amountOf(rotation, from, options)),
      to: address,
      otherPayer: to && payerOf({ ...to, clock: options.clock, signal: options.signal }),
    })
    if (outcome.kind === 'nothing') return { isDone: true }
    if (outcome.kind === 'again') {
      return { isDone: false, waits: `The transaction is sent again: ${outcome.because}.` }
    }
    return { isDone: true, amount: outcome.amount, hash: outcome.hash }
  } catch (error) {
    if (!(error instanceof SweepFailure)) throw error
    // In between the channels go on; the last sweep says what is in the way.
    return isDecisive(rotation) ? { isDone: false, problem: error.message } : nothing
  }
}

const isDecisive = ({ phase }: Rotation): boolean => phase === 'Rescuing' || phase === 'Sweeping'

const isSweeping = (rotation: Rotation): boolean =>
  rotation.phase === 'Sweeping' || (isLeaking(rotation) && !rotation.aborting)

async function amountOf(
  { phase }: Rotation,
  { network, sponsor, store }: Connected,
  options: ConvergeOptions,
): Promise<Pick<SweepOptions, 'how' | 'keep' | 'least'>> {
  const how = options.spec.rotation.sweep === 'Payment' ? 'Payment' : 'Merge'
  if (phase === 'Sweeping') return { how, keep: 0n, least: 1n }
  const promised = await readPromisedFees(store.db, { network, sponsor })
  const operations = BigInt(options.desired) * 2n + FURTHER_OPERATIONS
  const keep = promised + operations * inclusionFeeOf(options)
  return { how: 'Payment', keep, least: phase === 'Rescuing' ? 1n : LEAST_FREED }
}

export const inclusionFeeOf = ({ spec }: Pick<ConvergeOptions, 'spec'>): Stroops =>
  asStroops(BigInt(spec.fees.inclusion.floorStroops))

function transactionOf(connected: Connected, options: ConvergeOptions) {
  const { network, keys, rpc } = connected
  const { clock, signal, leadership } = options
  return {
    network,
    sponsor: keys.signer,
    inclusionFee: inclusionFeeOf(options),
    rpc,
    clock,
    signal,
    tenure: leadership,
    leaseSource: payerOf({ ...connected, clock, signal }).leaseSource,
  }
}

/** The rotation with what was sent in this pass; the books correct the sum. */
export function withFunds(rotation: Rotation, { amount, hash }: Swept): Rotation {
  if (amount === undefined || hash === undefined) return rotation
  const sum = stroopsFromLumens(rotation.sweptXlm ?? '0') + amount
  return { ...rotation, sweptXlm: decimalXlm(sum), transaction: hash }
}

/** The end of an emergency, with what did not reach the new sponsor. @param isExact whether the books are up to date */
export function withLosses(rotation: Rotation, isExact: boolean): Rotation {
  const { mode, account, from, sweptXlm = '0' } = rotation
  if (mode !== 'Emergency') return rotation
  if (isExact && account) {
    const lost = stroopsFromLumens(account.takenXlm) + stroopsFromLumens(account.feesXlm)
    return { ...rotation, lostXlm: decimalXlm(lost) }
  }
  if (from.balanceXlm === undefined) return rotation
  const lost = stroopsFromLumens(from.balanceXlm) - stroopsFromLumens(sweptXlm)
  return { ...rotation, lostXlm: decimalXlm(lost > 0n ? lost : 0n) }
}
