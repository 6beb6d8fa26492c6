import { sql } from 'kysely'

/** Columns of a table that counts payments: of all time, and of each trailing window. */
export const windowCounters = sql`
    payments bigint not null default 0,
    payments_24h bigint not null default 0,
    payments_7d bigint not null default 0,
    payments_30d bigint not null default 0`

/** Likewise of amounts. */
export const windowAmounts = sql`
    amount numeric not null default 0,
    amount_24h numeric not null default 0,
    amount_7d numeric not null default 0,
    amount_30d numeric not null default 0`
