import { parseArgs } from 'node:util'
import { loadServeConfig } from '../config/serve.ts'
import { withConfig } from './configured.ts'
import { helpPage, operatorExits } from './help.ts'
import { runService, type ServiceKind } from './run-service.ts'

const help = helpPage({
  name: 'serve',
  summary: 'verifies and settles x402 payments over HTTP',
  usage: ['svc serve'],
  options: [],
  notes: [
    'Runs until SIGTERM or SIGINT, then finishes the requests in flight. Logs on standard output.',
  ],
  environment: [
    ['NETWORKS', 'stellar:testnet; comma-separated'],
    ['TESTNET_RPC_URL', 'Stellar RPC; comma-separated'],
    ['TESTNET_SPONSOR_SECRET', 'seed of the account that pays the fees, or ..._FILE'],
    ['DATABASE_URL', 'postgres://..., or DATABASE_URL_FILE; STORE=memory does without'],
    ['PORT, ADMIN_PORT', '8080, 9090'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: { 0: 'stopped by a signal', 1: 'could not start, and why', ...operatorExits },
  example: 'STORE=memory TESTNET_RPC_URL=... TESTNET_SPONSOR_SECRET=S... svc serve',
})

/** @returns the exit code: 0 stopped by a signal, 1 could not start, 78 bad configuration */
export async function serve(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  return withConfig(loadServeConfig, (config) => runService(config, service))
}

const service: ServiceKind = {
  name: 'serve',
  prepareSchema: async (store, logger) => {
    const migrations = await store.migrate()
    if (migrations.length > 0) logger.info({ migrations }, 'Schema brought up to date')
  },
}
