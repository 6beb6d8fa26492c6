import { mkdirSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** Another process holds the lock for as long as one small transaction takes. */
const LOCK_MS = 30_000
const USER_ONLY = 0o077

/** Opens the file and makes its table. Throws when it cannot be opened, or is a file of something else. */
export function openBudgetFile(file: string): DatabaseSync {
  const mask = process.umask(USER_ONLY)
  try {
    mkdirSync(dirname(file), { recursive: true })
    const database = new DatabaseSync(file, { timeout: LOCK_MS, readBigInts: true })
    // Written through to the disk before a payment is signed, also for a loss of power.
    database.exec(`pragma synchronous = full; ${TABLE}`)
    // A table of an earlier version would fail later, and then nothing would be given back.
    database.prepare('select header from spending')
    return database
  } finally {
    process.umask(mask)
  }
}

const TABLE = `
  create table if not exists spending (
    id integer primary key autoincrement,
    at integer not null,
    units integer not null check (units >= 0),
    state text not null check (state in ('reserved', 'signed', 'unexplained', 'paid', 'unpaid')),
    url text not null,
    scheme text,
    asset text,
    payer text,
    pay_to text,
    nonce text,
    after_ledger integer,
    last_ledger integer,
    outcome text,
    because text,
    transaction_hash text,
    purchase text,
    header text
  ) strict;
  create index if not exists spending_at on spending (at);
  create index if not exists open_purchases on spending (purchase) where purchase is not null;
  create unique index if not exists one_row_per_nonce on spending (payer, nonce) where nonce is not null;`
