/** Amounts that land on the edges of what an account has, which only the moment of writing knows. */
import type { Asset, Keypair } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { decimalAmount } from '../../../../src/core/decimal.ts'
import { availableBalance } from '../../../../src/localnet/ledger/reserves.ts'
import { MAX_INT64, maxReceivableOnTrustline } from '../../../../src/localnet/ledger/trustline.ts'
import { account, trustline } from '../harness.ts'
import type { Town } from './town.ts'

/** Of what the payer may spend, or of what the payee may still hold. */
const shares = ['one', 'some', 'half', 'allButFees', 'all', 'tooMuch', 'room', 'overRoom'] as const
export type Share = (typeof shares)[number]

export const share: fc.Arbitrary<Share> = fc.constantFrom(...shares)

interface Between {
  readonly asset: Asset
  readonly from: Keypair
  readonly to: Keypair | undefined
}

const SOME = 12_345_678n
const SOME_FEES = 1_000n

/** In the smallest unit; at least one, and no more than can be written. */
export function amountOf(town: Town, wanted: Share, { asset, from, to }: Between): bigint {
  const holding = holdingOf(town, asset, from)
  const room = roomOf(town, asset, to)
  const amounts: Readonly<Record<Share, bigint>> = {
    one: 1n,
    some: SOME,
    half: holding / 2n,
    allButFees: holding - SOME_FEES,
    all: holding,
    tooMuch: holding + 1n,
    room,
    overRoom: room + 1n,
  }
  return smaller(amounts[wanted] > 0n ? amounts[wanted] : 1n, MAX_INT64)
}

function holdingOf({ net }: Town, asset: Asset, who: Keypair): bigint {
  if (!asset.isNative()) return trustline(net, who, asset)?.balance ?? SOME
  const found = account(net, who)
  return found ? availableBalance(found) : SOME
}

function roomOf({ net }: Town, asset: Asset, who: Keypair | undefined): bigint {
  const line = who && !asset.isNative() ? trustline(net, who, asset) : undefined
  return line ? maxReceivableOnTrustline(line) : SOME
}

/** As the SDK takes amounts. */
export const decimal = (units: bigint): string => decimalAmount(units, 7)

export const smaller = (a: bigint, b: bigint): bigint => (b < a ? b : a)
