import { figures } from './0003-explorer/figures.ts'
import { ingestion } from './0003-explorer/ingestion.ts'
import { payments } from './0003-explorer/payments.ts'
import { registry } from './0003-explorer/registry.ts'
import { migrationOf } from './statements.ts'

/** The explorer: payments that were observed on the ledger, and the figures over them. */
export const explorer = migrationOf(registry, payments, figures, ingestion)
