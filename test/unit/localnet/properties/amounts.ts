/** Amounts at the limits of a balance, computed when the transaction is built. */
import type { Asset, Keypair } from '@stellar/stellar-sdk'
import fc from 'fast-check'
import { availableBalance } from '../../../../src/localnet/ledger/reserves.ts'
import { MAX_INT64, maxReceivableOnTrustline } from '../../../../src/localnet/ledger/trustline.ts'
import { decimalAmount } from '../../../../src/platform/core/amounts/decimal.ts'
import { account, trustline } from '../harness.ts'
import type { RecordedNetwork } from './recorded-network.ts'

/** Shares of what the payer may spend, or of what the payee may still receive. */
const shares = [
  'one',
  'some',
  'half',
  'allButFees',
  'all',
  'tooMuch',
  'capacity',
  'overCapacity',
] as const
export type Share = (typeof shares)[number]

export const share: fc.Arbitrary<Share> = fc.constantFrom(...shares)

interface Between {
  readonly asset: Asset
  readonly from: Keypair
  readonly to: Keypair | undefined
}

const SOME = 12_345_678n
const SOME_FEES = 1_000n

/** In the smallest unit, from 1 to the largest int64. */
export function amountOf(
  network: RecordedNetwork,
  which: Share,
  { asset, from, to }: Between,
): bigint {
  const holding = holdingOf(network, asset, from)
  const capacity = capacityOf(network, asset, to)
  const amounts: Readonly<Record<Share, bigint>> = {
    one: 1n,
    some: SOME,
    half: holding / 2n,
    allButFees: holding - SOME_FEES,
    all: holding,
    tooMuch: holding + 1n,
    capacity,
    overCapacity: capacity + 1n,
  }
  return smaller(amounts[which] > 0n ? amounts[which] : 1n, MAX_INT64)
}

function holdingOf({ net }: RecordedNetwork, asset: Asset, who: Keypair): bigint {
  if (!asset.isNative()) return trustline(net, who, asset)?.balance ?? SOME
  const found = account(net, who)
  return found ? availableBalance(found) : SOME
}

function capacityOf({ net }: RecordedNetwork, asset: Asset, who: Keypair | undefined): bigint {
  const line = who && !asset.isNative() ? trustline(net, who, asset) : undefined
  return line ? maxReceivableOnTrustline(line) : SOME
}

/** As the SDK takes amounts. */
export const decimal = (units: bigint): string => decimalAmount(units, 7)

export const smaller = (a: bigint, b: bigint): bigint => (b < a ? b : a)
