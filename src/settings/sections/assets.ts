import { z } from 'zod'
import type { AcceptedAsset } from '../../payments/protocol/policy.ts'
import { type NetworkId, usdcContracts } from '../../platform/core/caip2.ts'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import { splitList } from '../rows/kinds.ts'

/** SEP-41 sets no limit; with more than 18 decimals no amount is a sensible price. */
const MAX_DECIMALS = 18

export const defaultAssets = (network: NetworkId): readonly AcceptedAsset[] => [
  { contract: usdcContracts[network], symbol: 'USDC', decimals: 7 },
]

/** `CONTRACT:SYMBOL:DECIMALS[:MIN[:MAX]]`, comma-separated; MIN and MAX in base units. */
export const assets = z
  .string()
  .transform((text, context): readonly AcceptedAsset[] => {
    const read = splitList(text).map(readAsset)
    const problem = read.find((asset) => typeof asset === 'string')
    if (problem === undefined) return read.filter((asset) => typeof asset !== 'string')
    context.addIssue({ code: 'custom', message: problem })
    return z.NEVER
  })
  .refine((accepted) => accepted.length > 0, { error: 'names no asset' })
  .refine(
    (accepted) => new Set(accepted.map(({ contract }) => contract)).size === accepted.length,
    {
      error: 'names a contract twice',
    },
  )

/** The asset, or what is wrong with it. */
function readAsset(element: string): AcceptedAsset | string {
  const [contract = '', symbol = '', decimals = '', min, max, ...rest] = element.split(':')
  if (rest.length > 0) {
    return 'must be CONTRACT:SYMBOL:DECIMALS[:MIN[:MAX]] with commas between assets'
  }
  if (addressKind(contract) !== 'contract') return 'contains something that is no contract address'
  if (!/^[A-Za-z0-9]{1,12}$/.test(symbol))
    return 'has a symbol that is not 1 to 12 letters or digits'
  if (!/^\d{1,2}$/.test(decimals) || Number(decimals) > MAX_DECIMALS) {
    return `has decimals that are not from 0 to ${MAX_DECIMALS}`
  }
  const isAmount = (text = '0') => /^\d{1,39}$/.test(text)
  if (!isAmount(min) || !isAmount(max)) return 'has amounts that are not whole base units'
  const limits = {
    ...(min !== undefined && { min: BigInt(min) }),
    ...(max !== undefined && { max: BigInt(max) }),
  }
  if (limits.max !== undefined && (limits.min ?? 0n) > limits.max) {
    return 'has a smallest amount above the largest'
  }
  return { contract, symbol, decimals: Number(decimals), ...limits }
}
