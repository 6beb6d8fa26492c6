import type { SettingsOf } from '../parser/settings.ts'
import { boolean, integer, isContract, optional, required, secretSeed } from '../parser/values.ts'

/** The scheme `upto` on one network. */
export interface UptoConfig {
  /** The settlement contract, `C...`. */
  readonly contract: string
  readonly keeper: KeeperConfig
}

/** When the keeper extends and restores the contract's instance and code. */
interface KeeperConfig {
  readonly enabled: boolean
  /** Whether it restores what is archived. */
  readonly autoRestore: boolean
  /** It extends what has a lower TTL, in ledgers ... */
  readonly floorLedgers: number
  /** ... to this one, which is above the floor. */
  readonly targetLedgers: number
}

/** About a day, below which `/health` calls a TTL critical: a lower floor would leave the keeper no time for a second attempt. */
const MIN_FLOOR_LEDGERS = 17_280
/** Both networks let an entry live for 3,110,400 ledgers, its current one included (`max_entry_ttl`): about 180 days. */
const MAX_TTL_LEDGERS = 3_110_399

const ONE_CONTRACT = 'a contract address (C...)'
const contractOrNone = optional(
  required(ONE_CONTRACT, isContract, (text) =>
    text.includes(',')
      ? `must be one contract address (C...): name others in OTHER_UPTO_CONTRACTS`
      : undefined,
  ),
)

export const uptoContractSetting = {
  help: 'Settlement contract of the scheme `upto`. The service serves the scheme through it where it is set, and the explorer shows calls of it as payments.',
  ...contractOrNone,
}

export const uptoSettings = {
  UPTO_CONTRACT: uptoContractSetting,
  UPTO_KEEPER_ENABLED: {
    shared: true,
    help: "Whether the service extends the TTL of the settlement contract, at the sponsor's expense.",
    ...boolean(true),
  },
  UPTO_AUTO_RESTORE: {
    shared: true,
    help: 'Whether it also restores the contract when it is archived.',
    ...boolean(true),
  },
  UPTO_TTL_FLOOR_LEDGERS: {
    shared: true,
    help: "The service extends the TTL of the contract's instance or code that is below this; 17280 ledgers are about a day.",
    ...integer(MIN_FLOOR_LEDGERS, MAX_TTL_LEDGERS - 1, 241_920),
  },
  UPTO_TTL_TARGET_LEDGERS: {
    shared: true,
    help: 'The TTL that it extends them to.',
    ...integer(MIN_FLOOR_LEDGERS + 1, MAX_TTL_LEDGERS, 518_400),
  },
  PREVIOUS_SPONSOR_SECRET: {
    help: 'Seed of the sponsor before the present one. Payments of the scheme `upto` that were signed for its settlement authority still settle.',
    secret: true,
    ...optional(secretSeed),
  },
  NEXT_SPONSOR_SECRET: {
    help: 'Seed of the sponsor that replaces the present one. Payments of the scheme `upto` that were signed for its settlement authority already settle.',
    secret: true,
    ...optional(secretSeed),
  },
}

/** Undefined where the scheme is not served. */
export const uptoConfig = (settings: SettingsOf<typeof uptoSettings>): UptoConfig | undefined =>
  settings.UPTO_CONTRACT === undefined
    ? undefined
    : {
        contract: settings.UPTO_CONTRACT,
        keeper: {
          enabled: settings.UPTO_KEEPER_ENABLED,
          autoRestore: settings.UPTO_AUTO_RESTORE,
          floorLedgers: settings.UPTO_TTL_FLOOR_LEDGERS,
          targetLedgers: settings.UPTO_TTL_TARGET_LEDGERS,
        },
      }
