import { optional, required } from '../rows/kinds.ts'
import { type MembersOf, settingsTable } from '../rows/row.ts'
import { uptoKeeperSettings } from '../rows/upto-keeper.ts'
import { isContract } from './addresses.ts'

const ONE_CONTRACT = 'a contract address (C...)'
const contractOrNone = optional(
  required(ONE_CONTRACT, isContract, (text) =>
    text.includes(',')
      ? `must be one contract address (C...): name others in OTHER_UPTO_CONTRACTS`
      : undefined,
  ),
)

export const uptoContractSetting = {
  member: 'upto.contract',
  help: 'Settlement contract of the scheme `upto`. The service serves the scheme through it where it is set, and the explorer shows calls of it as payments.',
  ...contractOrNone,
} as const

export const uptoSettings = settingsTable({
  UPTO_CONTRACT: uptoContractSetting,
  ...uptoKeeperSettings,
})

type Members = MembersOf<typeof uptoSettings>['upto']

/** The scheme `upto` on one network. */
export interface UptoConfig extends Members {
  /** The settlement contract, `C...`. */
  readonly contract: string
}

/** Undefined where the scheme is not served. */
export const uptoConfig = ({ contract, keeper }: Members): UptoConfig | undefined =>
  contract === undefined ? undefined : { contract, keeper }
