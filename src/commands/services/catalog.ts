import { openStore } from '../../platform/database/open.ts'
import { openCatalogService } from '../../service/catalog/open-catalog-service.ts'
import { explainStartupError, runService } from '../../service/server/run-service.ts'
import { requireSchema } from '../../service/server/schema-outdated.ts'
import { loadCatalogConfig } from '../../settings/catalog.ts'
import { loadMigrateConfig } from '../../settings/migrate.ts'
import { command } from '../command-line/command.ts'
import { isForPerson, outputFlags } from '../command-line/for-person.ts'
import { UsageError } from '../command-line/usage-error.ts'
import { explainListing } from './explain-listing.ts'
import { HIDDEN_SUBJECT, hideListings } from './hide-listings.ts'

const NOT_IN_MEMORY =
  'a catalog in memory is known only to the running service, at /discovery; set DATABASE_URL to the database of a service'

export const catalog = command({
  name: 'catalog',
  summary: 'lists paid resources, checks their origins and answers searches',
  usage: [
    'svc catalog',
    'svc catalog explain URL|ID [--json|--human]',
    'svc catalog hide ID|ACCOUNT',
    'svc catalog unhide ID|ACCOUNT',
  ],
  flags: outputFlags,
  actions: { serve: [], explain: ['json', 'human'], hide: [], unhide: [] },
  defaultAction: 'serve',
  positionals: (words, _flags, action) => {
    const [subject, ...rest] = words
    if (action === 'serve') {
      if (subject !== undefined) throw new UsageError(`Unexpected argument '${subject}'`)
      return ''
    }
    if (subject === undefined || rest.length > 0) {
      throw new UsageError(
        action === 'explain'
          ? 'explain takes one URL, or the id of one listing'
          : `${action} takes ${HIDDEN_SUBJECT}`,
      )
    }
    return subject
  },
  notes: [
    'Serves /discovery beside svc facilitator, as one of many replicas that share the work. It takes no',
    'payments and needs no seed. Run svc migrate first. svc serve does all this itself.',
    '',
    'explain says why a URL or a listing is listed, or is not: its state, the last outcome with its code and',
    'reason, the next check of its origin, and what its settlements declared. It reads only the database.',
    '',
    'hide takes a listing, or all of a payee, present and later ones, out of lists, searches and the',
    'explorer, until unhide; payments for them go on. The services notice within a minute.',
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
    0: 'stopped by a signal; of explain: the catalog knows it; of hide and unhide: done',
    1: 'could not start, and why: an older schema among others; of explain: the catalog does not know it',
  },
  example: 'TESTNET_RPC_URL=... DATABASE_URL_FILE=... svc catalog',
  config: (variables, _flags, action) =>
    action === 'serve'
      ? { serve: loadCatalogConfig(variables) }
      : { admin: loadMigrateConfig(variables, { notInMemory: NOT_IN_MEMORY }), action },
  handlesStop: true,
  explain: explainStartupError,
  run: async ({ config: { serve, admin, action }, positionals: subject, flags, stop }) => {
    if (serve) {
      return runService({ ...serve, rateLimitPerKeyPerMinute: 0 }, stop, requireSchema, (deps) =>
        openCatalogService(serve, deps),
      )
    }
    await using store = await openStore(admin.store)
    await requireSchema(store)
    return action === 'explain'
      ? await explainListing(store, subject, { forPerson: isForPerson(flags) })
      : await hideListings(store, action, subject)
  },
})
