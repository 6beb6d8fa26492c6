import { boolean, integer } from './kinds.ts'
import { settingsTable } from './row.ts'

/** About a day, below which `/health` calls a TTL critical: a lower floor would leave the keeper no time for a second attempt. */
const MIN_FLOOR_LEDGERS = 17_280
/** Both networks let an entry live for 3,110,400 ledgers, its current one included (`max_entry_ttl`): about 180 days. */
const MAX_TTL_LEDGERS = 3_110_399

/** When the keeper extends and restores the instance and the code of a settlement contract. */
export const uptoKeeperSettings = settingsTable({
  UPTO_KEEPER_ENABLED: {
    member: 'upto.keeper.enabled',
    shared: true,
    help: "Whether the service extends the TTL of the settlement contract, at the sponsor's expense.",
    crd: { path: 'upto.keeper.enabled', description: 'Whether the pods extend TTLs.' },
    ...boolean(true),
  },
  UPTO_AUTO_RESTORE: {
    member: 'upto.keeper.autoRestore',
    shared: true,
    help: 'Whether it also restores the contract when it is archived.',
    crd: { path: 'upto.keeper.autoRestore', description: 'Whether they restore what is archived.' },
    ...boolean(true),
  },
  UPTO_TTL_FLOOR_LEDGERS: {
    member: 'upto.keeper.floorLedgers',
    shared: true,
    help: "The service extends the TTL of the contract's instance or code that is below this; 17280 ledgers are about a day.",
    crd: {
      path: 'upto.keeper.floorLedgers',
      description: 'They extend a TTL below this, in ledgers of about 5 s.',
    },
    ...integer(MIN_FLOOR_LEDGERS, MAX_TTL_LEDGERS - 1, 241_920),
  },
  UPTO_TTL_TARGET_LEDGERS: {
    member: 'upto.keeper.targetLedgers',
    shared: true,
    help: 'The TTL that it extends them to.',
    crd: { path: 'upto.keeper.targetLedgers', description: 'TTL that they extend to, in ledgers.' },
    ...integer(MIN_FLOOR_LEDGERS + 1, MAX_TTL_LEDGERS, 518_400),
  },
})
