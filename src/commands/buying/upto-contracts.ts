import { addressKind } from '../../stellar/accounts/strkey.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { uptoContractsVariable } from './buyer-variables.ts'

const [VARIABLE] = uptoContractsVariable

/** The settlement contracts that the owner of the wallet trusts; undefined when none is named. Throws UsageError. */
export function uptoContractsOf(
  variables: Readonly<Record<string, string | undefined>>,
): readonly string[] | undefined {
  const given = variables[VARIABLE]
  if (!given) return undefined
  const contracts = given.split(',').map((each) => each.trim())
  if (contracts.every((each) => addressKind(each) === 'contract')) return contracts
  throw new UsageError(`${VARIABLE} lists contracts C..., separated by commas`)
}
