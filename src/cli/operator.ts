import { randomBytes } from 'node:crypto'
import { parseArgs } from 'node:util'
import { fieldManagers } from '../api/marks.ts'
import { type KubeOperatorConfig, loadKubeOperatorConfig } from '../config/operator.ts'
import { systemClock } from '../core/clock.ts'
import { createAdminServer } from '../http/admin.ts'
import { PortUnavailable } from '../http/listen.ts'
import { createClient } from '../kube/client.ts'
import { openConnection } from '../kube/connection.ts'
import { createKubeMetrics } from '../kube/metrics.ts'
import { createManager, type Manager } from '../operator/manager.ts'
import { openStore } from '../store/open.ts'
import { createInstruments, type Instruments } from '../telemetry/instruments.ts'
import { createLogger, type Logger } from '../telemetry/logger.ts'
import { withConfig } from './configured.ts'
import { helpPage, operatorExits } from './help.ts'
import { openPoolNetwork } from './pool-network.ts'
import { stopSignals } from './stop-signals.ts'

const help = helpPage({
  name: 'operator',
  summary: 'reconciles Facilitators and ChannelPools in a Kubernetes cluster',
  usage: ['svc operator'],
  options: [],
  notes: [
    'Any number may run: one leads, the others are ready to follow. Runs until SIGTERM or SIGINT.',
    'Ends by itself when it loses the lead, so that it begins anew with nothing in memory.',
  ],
  environment: [
    ['KUBECONFIG', 'a kubeconfig file; in a pod, its service account'],
    ['WATCH_NAMESPACES', 'all of them; comma-separated'],
    ['POD_NAMESPACE, POD_NAME', 'where the lease lives, and who this is'],
    ['FACILITATOR_IMAGE', 'image of the pods of a Facilitator that names none'],
    ['ADMIN_PORT', '9090: /livez, /readyz, /metrics'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: { 0: 'stopped by a signal', 1: 'lost the lead, or could not start', ...operatorExits },
  example: 'KUBECONFIG=~/.kube/config svc operator',
})

/** @returns the exit code: 0 stopped by a signal, 1 lost the lead or could not start, 78 bad configuration */
export async function operator(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: { help: { type: 'boolean', short: 'h' } },
  })
  if (values.help) {
    process.stdout.write(help)
    return 0
  }
  return withConfig(loadKubeOperatorConfig, operateConfigured)
}

async function operateConfigured(config: KubeOperatorConfig): Promise<number> {
  const logger = createLogger({ level: config.logLevel })
  try {
    return await operate(config, logger)
  } catch (error) {
    if (error instanceof PortUnavailable) {
      process.stderr.write(`svc operator: ${error.message}\n`)
      return 1
    }
    logger.error({ err: error }, 'The operator ends')
    return 1
  }
}

async function operate(config: KubeOperatorConfig, logger: Logger): Promise<number> {
  const instruments = createInstruments()
  const manager = managerOf(config, logger, instruments)
  await using admin = createAdminServer({
    logger,
    metrics: instruments,
    isAlive: () => manager.isHealthy(),
    // A follower is ready, too: ready to lead.
    checks: {
      caches: async () => {
        if (!manager.isSynced()) throw new Error('not every cache is filled yet')
        return manager.isLeading() ? 'leads' : 'follows'
      },
    },
  })
  const { url } = await admin.listen({ host: config.host, port: config.adminPort })
  logger.info({ adminUrl: url, namespaces: config.namespaces }, 'Operator is running')

  using stop = stopSignals()
  const stopping = new AbortController()
  void stop.received.then((signal) => {
    logger.info({ signal }, 'Operator is stopping')
    stopping.abort(new Error(`stopped by ${signal}`))
  })
  const end = await manager.run(stopping.signal)
  logger.info({ end }, 'Operator stopped')
  return end === 'stopped' ? 0 : 1
}

function managerOf(config: KubeOperatorConfig, logger: Logger, instruments: Instruments): Manager {
  const clock = systemClock
  const metrics = createKubeMetrics(instruments)
  const { qps, burst } = config
  const connection = openConnection({ clock })
  const shared = { clock, fieldManager: fieldManagers.children, userAgent: 'svc-operator', metrics }
  // A request of the election that hangs must not cost the lead.
  const timeoutMs = Math.max(1_000, config.election.renewDeadlineMs / 2)
  return createManager({
    ...config,
    client: createClient({ ...shared, connection, qps, burst }),
    electionClient: createClient({ ...shared, connection: openConnection({ clock }), timeoutMs }),
    identity: `${config.podName}_${randomBytes(6).toString('hex')}`,
    clock,
    random: Math.random,
    logger,
    metrics,
    gauges: instruments,
    openStore: (url) =>
      openStore({ kind: 'postgres', url, poolSize: 2, applicationName: 'svc-operator' }),
    openNetwork: (key) => openPoolNetwork(key, { clock, logger }),
  })
}
