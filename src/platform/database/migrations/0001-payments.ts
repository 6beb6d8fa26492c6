import { channels } from './0001-payments/channels.ts'
import { fees } from './0001-payments/fees.ts'
import { identifiers } from './0001-payments/identifiers.ts'
import { limits } from './0001-payments/limits.ts'
import { settlements } from './0001-payments/settlements.ts'
import { upto } from './0001-payments/upto.ts'
import { usage } from './0001-payments/usage.ts'
import { migrationOf } from './statements.ts'

/** The payments of every scheme. */
export const payments = migrationOf(settlements, identifiers, channels, fees, limits, usage, upto)
