import { parseArgs } from 'node:util'
import { loadFacilitatorConfig } from '../config/facilitator.ts'
import { withConfig } from './configured.ts'
import { helpPage, operatorExits } from './help.ts'
import { runService, SchemaOutdated, type ServiceKind } from './run-service.ts'

const help = helpPage({
  name: 'facilitator',
  summary: 'verifies and settles x402 payments, as one of many replicas',
  usage: ['svc facilitator'],
  options: [],
  notes: [
    'What the pods of a Facilitator run: as svc serve, but it changes neither schema nor channels.',
    'Run svc migrate first; channels are made by the operator, by svc provision, or if it is asked for.',
  ],
  environment: [
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
    ...operatorExits,
  },
  example:
    'TESTNET_RPC_URL=... TESTNET_SPONSOR_SECRET_FILE=... DATABASE_URL_FILE=... svc facilitator',
})

/** @returns the exit code: 0 stopped by a signal, 1 could not start, 78 bad configuration */
export async function facilitator(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  return withConfig(loadFacilitatorConfig, (config) => runService(config, service))
}

const service: ServiceKind = {
  name: 'facilitator',
  // Replicas of two versions run side by side: only one that is told to may change what both use.
  prepareSchema: async (store) => {
    const missing = await store.pendingMigrations()
    if (missing.length > 0) throw new SchemaOutdated(missing)
  },
}
