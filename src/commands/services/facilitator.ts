import { openPaymentService } from '../../service/facilitator/open-payment-service.ts'
import { explainStartupError, runService } from '../../service/server/run-service.ts'
import { requireSchema } from '../../service/server/schema-outdated.ts'
import { loadFacilitatorConfig } from '../../settings/facilitator.ts'
import { command } from '../command-line/command.ts'

export const facilitator = command({
  name: 'facilitator',
  summary: 'verifies and settles x402 payments, as one of many replicas',
  notes: [
    'The pods of a Facilitator run this: as svc serve, but it changes neither schema nor channels, and',
    'leaves listing what was paid for to svc catalog.',
    'Run svc migrate first. The Kubernetes operator or svc provision creates the channels; with',
    'TESTNET_AUTO_PROVISION_CHANNELS=true this command does.',
  ],
  env: [
    ['NETWORKS', 'stellar:testnet; comma-separated'],
    ['TESTNET_RPC_URL', 'Stellar RPC; comma-separated'],
    ['TESTNET_SPONSOR_SECRET', 'seed of the account that pays the fees, or ..._FILE'],
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE; STORE=memory is refused'],
    ['TESTNET_AUTO_PROVISION_CHANNELS', 'false on every network'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: {
    0: 'stopped by a signal',
    1: 'could not start, and why: an older schema among others',
  },
  example:
    'TESTNET_RPC_URL=... TESTNET_SPONSOR_SECRET_FILE=... DATABASE_URL_FILE=... svc facilitator',
  config: (variables) => loadFacilitatorConfig(variables),
  handlesStop: true,
  explain: explainStartupError,
  run: ({ config, stop }) =>
    // Replicas of two versions run side by side, so none of them changes the schema that both use.
    runService(config, stop, requireSchema, (deps) =>
      openPaymentService(config, deps, { hasCatalog: false }),
    ),
})
