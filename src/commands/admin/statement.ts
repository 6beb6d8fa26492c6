import { parseMonth, whyNoStatement } from '../../payments/usage/statement/month.ts'
import { renderStatement, statementFormats } from '../../payments/usage/statement/render.ts'
import { readStatement } from '../../payments/usage/statement/statement.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { openStore } from '../../platform/database/open.ts'
import { StoreUnavailable } from '../../platform/database/postgres/unavailable.ts'
import { SchemaNewer } from '../../platform/database/schema-newer.ts'
import { messageOf } from '../../service/process/message-of.ts'
import { requireSchema, SchemaOutdated } from '../../service/server/schema-outdated.ts'
import { loadStatementConfig } from '../../settings/statement.ts'
import { command } from '../command-line/command.ts'
import { choiceOr, type FlagValues, text } from '../command-line/flags.ts'
import { printWhole } from '../command-line/print.ts'
import { UsageError } from '../command-line/usage-error.ts'

const flags = {
  key: text('SUBJECT', 'whose: key: and 16 hex digits, as svc keys list shows it'),
  month: text('MONTH', 'in UTC, such as 2026-11'),
  format: choiceOr(statementFormats, 'csv', 'of the statement'),
}

export const statement = command({
  name: 'statement',
  summary: 'prints the payments of an API key that settled in a month, with totals',
  usage: ['svc statement --key SUBJECT --month MONTH [--format csv|json]'],
  flags,
  positionals: (words, values) => {
    if (words.length > 0) throw new UsageError(`Unexpected argument '${words[0]}'`)
    return wanted(values)
  },
  notes: [
    'Prints the same as GET /usage/statement with the key, read from the database. A month whose',
    'settlements may be deleted already is refused.',
  ],
  env: [
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE with the path of a file that holds it'],
    ['SETTLEMENT_RETENTION_DAYS', 'as the service has it'],
  ],
  exits: { 0: 'done', 1: 'refused, or no database' },
  example: 'svc statement --key key:0123456789abcdef --month 2026-11 > statement.csv',
  config: (variables) => loadStatementConfig(variables),
  explain: messageOf(StoreUnavailable, SchemaNewer, SchemaOutdated),
  run: async ({ positionals: { subject, month }, flags: { format }, config }) => {
    const now = systemClock.now()
    const reason = whyNoStatement(month, now, config.settlementRetentionDays)
    if (reason !== undefined) {
      process.stderr.write(`svc statement: ${reason}\n`)
      return 1
    }
    await using store = await openStore(config.store)
    await requireSchema(store)
    const parts = readStatement(store.db, subject, { month, now })
    for await (const part of renderStatement(parts, format)) await printWhole(part)
    if (format === 'json') await printWhole('\n')
    return 0
  },
})

function wanted({ key, month: name }: FlagValues<typeof flags>) {
  if (!/^key:[0-9a-f]{16}$/.test(key ?? '')) {
    throw new UsageError('--key is the subject of an API key, such as key:0123456789abcdef')
  }
  const month = parseMonth(name ?? '')
  if (!month) throw new UsageError('--month is a month such as 2026-11')
  return { subject: key ?? '', month }
}
