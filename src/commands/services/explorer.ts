import { openExplorerService } from '../../service/explorer/open-explorer-service.ts'
import { explainStartupError, runService } from '../../service/server/run-service.ts'
import { requireSchema } from '../../service/server/schema-outdated.ts'
import { loadExplorerConfig } from '../../settings/explorer.ts'
import { command } from '../command-line/command.ts'

export const explorer = command({
  name: 'explorer',
  summary: 'shows every x402 payment of the networks, with figures, as an API and as pages',
  notes: [
    'Serves the API and the pages of the explorer, as one of many replicas. One replica at a time reads the',
    'ledger, and another one takes over when it ends. It takes no payments and needs no seed. Run svc migrate',
    'first. svc serve does all this itself, on the same port.',
  ],
  env: [
    ['NETWORKS', 'stellar:testnet; comma-separated'],
    ['TESTNET_RPC_URL', 'Stellar RPC; comma-separated'],
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE; STORE=memory is refused'],
    ['EXPLORER_DATABASE_URL', 'a read replica of it, for the API and the pages'],
    ['EXPLORER_PORT, ADMIN_PORT', '8081, 9090'],
    ['FACILITATOR_REGISTRY', 'base URLs of other facilitators; comma-separated'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: {
    0: 'stopped by a signal',
    1: 'could not start, and why: an older schema among others',
  },
  example: 'TESTNET_RPC_URL=... DATABASE_URL_FILE=... svc explorer',
  config: (variables) => loadExplorerConfig(variables),
  handlesStop: true,
  explain: explainStartupError,
  run: ({ config, stop }) => {
    const unlimited = { rateLimitPerMinute: 0, rateLimitPerKeyPerMinute: 0 }
    const { port } = config.explorer
    return runService(
      { ...config, ...unlimited, port, portVariable: 'EXPLORER_PORT' },
      stop,
      requireSchema,
      (deps) => openExplorerService(config, deps),
    )
  },
})
