import { StrKey } from '@stellar/stellar-sdk'
import { stroopsFromLumens } from '../../platform/core/amounts/stroops.ts'
import { type FaucetAsset, faucetAssets } from '../genesis/genesis-assets.ts'
import type { FaucetRequest } from './transaction.ts'

const defaultAmounts: Readonly<Record<FaucetAsset, string>> = { USDC: '100', XLM: '10000' }

/** Largest amount of one request, far below the limit of a 64-bit balance. */
const MAX_AMOUNT = 1_000_000_000n * 10_000_000n

/** An invalid query parameter. */
export class BadParameter extends Error {
  override readonly name = 'BadParameter'
  readonly parameter: string

  constructor(parameter: string, reason: string) {
    super(reason)
    this.parameter = parameter
  }
}

/** Reads `addr`, `asset` and `amount`. Throws BadParameter. */
export function readFaucetRequest(parameters: URLSearchParams): FaucetRequest {
  const address = readAddress(parameters.get('addr') ?? '', ['G', 'C', 'M'])
  const asset = readAsset(parameters.get('asset') ?? 'USDC')
  return { address, asset, amount: readAmount(parameters.get('amount') ?? defaultAmounts[asset]) }
}

/** The account or contract to pay; for a muxed address its account. */
export function readAddress(text: string, kinds: readonly ('G' | 'C' | 'M')[]): string {
  if (kinds.includes('G') && StrKey.isValidEd25519PublicKey(text)) return text
  if (kinds.includes('C') && StrKey.isValidContract(text)) return text
  if (kinds.includes('M') && StrKey.isValidMed25519PublicKey(text)) {
    const ED25519_BYTES = 32
    return StrKey.encodeEd25519PublicKey(
      StrKey.decodeMed25519PublicKey(text).slice(0, ED25519_BYTES),
    )
  }
  throw new BadParameter('addr', `invalid address: must be a valid ${kinds.join(' or ')} address`)
}

function readAsset(text: string): FaucetAsset {
  if (isFaucetAsset(text)) return text
  throw new BadParameter('asset', `must be ${Object.keys(faucetAssets).join(' or ')}`)
}

const isFaucetAsset = (text: string): text is FaucetAsset => Object.hasOwn(faucetAssets, text)

function readAmount(text: string): bigint {
  const refusal = new BadParameter('amount', 'must be a positive decimal with up to 7 decimals')
  let amount: bigint
  try {
    amount = stroopsFromLumens(text)
  } catch {
    throw refusal
  }
  if (amount <= 0n || amount > MAX_AMOUNT) throw refusal
  return amount
}
