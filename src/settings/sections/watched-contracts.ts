import { z } from 'zod'
import { addressKind } from '../../stellar/accounts/strkey.ts'
import { splitList } from '../rows/kinds.ts'
import type { Kind } from '../rows/row.ts'

/** A contract and its name in `/health`. */
export interface WatchedContractConfig {
  readonly alias: string
  /** `C...` */
  readonly id: string
}

const SHAPE = 'must be ALIAS=CONTRACT with commas between contracts'

/** `ALIAS=CONTRACT`, comma-separated; an alias is up to 32 letters, digits, `.`, `_`, `-`. */
export const watchedContracts: Kind<readonly WatchedContractConfig[]> = {
  schema: z
    .string()
    .default('')
    .transform((text) => splitList(text).map(readContract))
    .superRefine((contracts, context) => {
      const message = problemOf(contracts)
      if (message !== undefined) context.addIssue({ code: 'custom', message })
    }),
  fallback: '',
  range: '`ALIAS=CONTRACT`',
}

function readContract(element: string): WatchedContractConfig {
  const [alias = '', id = '', ...rest] = element.split('=').map((part) => part.trim())
  return { alias, id: rest.length > 0 ? '' : id }
}

/** The first problem; undefined when there is none. */
function problemOf(contracts: readonly WatchedContractConfig[]): string | undefined {
  if (contracts.some(({ alias }) => !/^[A-Za-z0-9._-]{1,32}$/.test(alias))) return SHAPE
  if (contracts.some(({ id }) => addressKind(id) !== 'contract')) {
    return 'contains something that is no contract address'
  }
  const isTwice = (member: keyof WatchedContractConfig) =>
    new Set(contracts.map((contract) => contract[member])).size < contracts.length
  if (isTwice('alias')) return 'names an alias twice'
  return isTwice('id') ? 'names a contract twice' : undefined
}
