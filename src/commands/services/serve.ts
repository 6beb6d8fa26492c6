import type { Store } from '../../platform/database/open.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'
import { openPaymentService } from '../../service/facilitator/open-payment-service.ts'
import { explainStartupError, runService } from '../../service/server/run-service.ts'
import { loadServeConfig } from '../../settings/serve.ts'
import { command } from '../command-line/command.ts'

async function bringUpToDate(store: Store, logger: Logger): Promise<void> {
  const migrations = await store.migrate()
  if (migrations.length > 0) logger.info({ migrations }, 'Schema brought up to date')
}

export const serve = command({
  name: 'serve',
  summary: 'verifies and settles x402 payments over HTTP',
  notes: [
    'Runs until SIGTERM or SIGINT, then finishes the requests in flight. Logs on standard output.',
  ],
  env: [
    ['NETWORKS', 'stellar:testnet; comma-separated'],
    ['TESTNET_RPC_URL', 'Stellar RPC; comma-separated'],
    ['TESTNET_SPONSOR_SECRET', 'seed of the account that pays the fees, or ..._FILE'],
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE; STORE=memory needs none'],
    ['PORT, ADMIN_PORT', '8080, 9090'],
    ['BAZAAR_ENABLED', 'true: list paid resources, and serve /discovery'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: { 0: 'stopped by a signal', 1: 'could not start, and why' },
  example: 'STORE=memory TESTNET_RPC_URL=... TESTNET_SPONSOR_SECRET=S... svc serve',
  config: (variables) => loadServeConfig(variables),
  handlesStop: true,
  explain: explainStartupError,
  run: ({ config, stop }) =>
    runService(config, stop, bringUpToDate, (deps) =>
      openPaymentService(config, deps, { hasCatalog: true }),
    ),
})
