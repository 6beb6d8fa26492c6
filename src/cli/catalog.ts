import { loadCatalogConfig } from '../config/catalog.ts'
import { command } from './command/command.ts'
import { openCatalogService } from './open-catalog-service.ts'
import { explainStartupError, runService } from './run-service.ts'
import { requireSchema } from './schema-outdated.ts'

export const catalog = command({
  name: 'catalog',
  summary: 'lists paid resources, checks their origins and answers searches',
  notes: [
    'Serves /discovery beside svc facilitator, as one of many replicas that share the work. It takes no',
    'payments and needs no seed. Run svc migrate first. svc serve does all this itself.',
  ],
  env: [
    ['NETWORKS', 'stellar:testnet; comma-separated'],
    ['TESTNET_RPC_URL', 'Stellar RPC; comma-separated'],
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE; STORE=memory is refused'],
    ['PORT, ADMIN_PORT', '8080, 9090'],
    ['SEARCH_EMBEDDINGS_URL', 'replaces the word vectors that ship with the project'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: {
    0: 'stopped by a signal',
    1: 'could not start, and why: an older schema among others',
  },
  example: 'TESTNET_RPC_URL=... DATABASE_URL_FILE=... svc catalog',
  config: (variables) => loadCatalogConfig(variables),
  handlesStop: true,
  explain: explainStartupError,
  run: ({ config, stop }) =>
    runService({ ...config, rateLimitPerKeyPerMinute: 0 }, stop, requireSchema, (deps) =>
      openCatalogService(config, deps),
    ),
})
