/** What a connection pooler between the service and its database takes away. */

import type { ServiceFacts } from '../facts/facts.ts'
import type { CheckName } from './check-names.ts'
import { ok, problem, warning } from './diagnosis.ts'
import { checkFetched, type DoctorCheck } from './run-checks.ts'

type ServiceCheck = DoctorCheck<CheckName, ServiceFacts>

const pooler: ServiceCheck = {
  name: 'store-pooler',
  needs: ['store'],
  run: ({ routes }) =>
    checkFetched(routes?.url, 'run the command again', (route) => {
      if (!routes?.directUrl) {
        if (route.isDirect) return ok('no pooler in between')
        return warning(
          'DATABASE_URL passes through a connection pooler: a settlement that waits for a channel learns up to 1 s late that another replica freed one',
          'set DATABASE_DIRECT_URL to the address of Postgres itself',
        )
      }
      const todo = 'make DATABASE_DIRECT_URL the address of Postgres itself, for the same database'
      return checkFetched(routes.directUrl, todo, (direct) =>
        direct.database === route.database
          ? ok('DATABASE_DIRECT_URL leads to the same database')
          : problem(`DATABASE_DIRECT_URL leads to another one: ${direct.database}`, todo),
      )
    }),
}

/** Postgres applies it to sessions of the role, also to those of a pooler. */
const timeout: ServiceCheck = {
  name: 'store-timeout',
  needs: ['store'],
  run: ({ store, config }) =>
    checkFetched(store, '', ({ statementTimeoutMs, role }) => {
      if (statementTimeoutMs > 0) return ok('Postgres cancels a statement that takes too long')
      const ms = config.store.kind === 'postgres' ? config.store.statementTimeoutMs : 0
      return warning(
        'the pooler withholds the statement time-out: Postgres never cancels a statement',
        `alter role "${role}" set statement_timeout = ${ms}; then restart the pooler`,
      )
    }),
}

export const poolerChecks: readonly ServiceCheck[] = [pooler, timeout]
