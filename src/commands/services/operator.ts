import { randomBytes } from 'node:crypto'
import { fieldManagers } from '../../kubernetes/crd/names/marks.ts'
import { createManager, type Manager } from '../../kubernetes/operator/manager.ts'
import { runtimeMetricPrefix } from '../../kubernetes/operator/metrics/metric-table.ts'
import { createClient } from '../../kubernetes/runtime/client/client.ts'
import { openConnection } from '../../kubernetes/runtime/client/connection.ts'
import { KubeconfigUnusable } from '../../kubernetes/runtime/client/kubeconfig.ts'
import { ServerClock } from '../../kubernetes/runtime/client/server-clock.ts'
import { createKubeMetrics } from '../../kubernetes/runtime/metrics/metrics.ts'
import { systemClock } from '../../platform/core/time/clock.ts'
import { electionTimes } from '../../platform/core/time/election-times.ts'
import { openStore } from '../../platform/database/open.ts'
import { createAdminServer } from '../../platform/http/admin.ts'
import { fetchWithLookup } from '../../platform/http/guarded-fetch/fetch-with-lookup.ts'
import { podLookup } from '../../platform/http/guarded-fetch/pod-lookup.ts'
import { PortUnavailable } from '../../platform/http/server/listen.ts'
import { createLogger, type Logger } from '../../platform/telemetry/logs/logger.ts'
import {
  createInstruments,
  type Instruments,
} from '../../platform/telemetry/metrics/instruments.ts'
import { openPoolNetwork } from '../../service/operator/pool-network.ts'
import { messageOf } from '../../service/process/message-of.ts'
import { stopped } from '../../service/process/stop-signals.ts'
import { listenOn } from '../../service/server/listen-on.ts'
import { warnOfRefusedTimeout } from '../../service/server/warn-of-refused-timeout.ts'
import { loadOperatorConfig, type OperatorConfig } from '../../settings/operator.ts'
import { ConfigError } from '../../settings/parser/config-error.ts'
import { command } from '../command-line/command.ts'

export const operator = command({
  name: 'operator',
  summary: 'reconciles Facilitators and ChannelPools in a Kubernetes cluster',
  notes: [
    'Any number of replicas may run: one leads, the others are ready to take over. Runs until SIGTERM',
    'or SIGINT. Exits when it loses the lead, so that the next term starts with empty memory.',
  ],
  env: [
    ['KUBECONFIG', 'a kubeconfig file; in a pod, its service account'],
    ['WATCH_NAMESPACES', 'all of them; comma-separated'],
    ['POD_NAMESPACE, POD_NAME', 'namespace of the lease, and identity of this replica'],
    ['FACILITATOR_IMAGE', 'image of the pods of a Facilitator that names none'],
    ['ADMIN_PORT', '9090: /livez, /readyz, /metrics'],
    ['and more', 'see docs/configuration.md'],
  ],
  exits: { 0: 'stopped by a signal', 1: 'lost the lead, or could not start' },
  example: 'KUBECONFIG=~/.kube/config svc operator',
  config: (variables) => loadOperatorConfig(variables),
  handlesStop: true,
  explain: messageOf(PortUnavailable),
  run: async ({ config, stop }) => {
    const logger = createLogger({ level: config.logLevel })
    try {
      return await operate(config, logger, stop)
    } catch (error) {
      if (error instanceof PortUnavailable) throw error
      if (error instanceof KubeconfigUnusable) {
        throw new ConfigError([{ variable: 'KUBECONFIG', message: error.message }])
      }
      logger.error({ err: error }, 'The operator ends')
      return 1
    }
  },
})

/** The tenant that owns a pool owns its database. A thousand channels have 200 KiB. */
const MAX_DATABASE_ANSWER_BYTES = 1024 * 1024

async function operate(config: OperatorConfig, logger: Logger, stop: AbortSignal): Promise<number> {
  const instruments = createInstruments()
  const manager = managerOf(config, logger, instruments)
  await using admin = createAdminServer({
    logger,
    metrics: instruments,
    isAlive: () => manager.isHealthy(),
    // A follower is ready too: it can take over the lead.
    checks: {
      caches: async () => {
        if (!manager.isSynced()) throw new Error('not every cache is filled yet')
        return manager.isLeading() ? 'leads' : 'follows'
      },
    },
  })
  const { url } = await listenOn(admin, {
    host: config.host,
    port: config.adminPort,
    variable: 'ADMIN_PORT',
  })
  logger.info({ adminUrl: url, namespaces: config.namespaces }, 'Operator is running')

  void stopped(stop).then((signal) => logger.info({ signal }, 'Operator is stopping'))
  const end = await manager.run(stop)
  logger.info({ end }, 'Operator stopped')
  return end === 'stopped' ? 0 : 1
}

function managerOf(config: OperatorConfig, logger: Logger, instruments: Instruments): Manager {
  const clock = systemClock
  const serverClock = new ServerClock(clock)
  const open = () => openConnection({ clock, env: process.env })
  const connection = open()
  const metrics = createKubeMetrics(instruments, {
    prefix: runtimeMetricPrefix,
    host: connection.host,
  })
  // Tenants choose the names of databases and endpoints.
  const lookup = podLookup()
  const openFetch = () => fetchWithLookup(lookup, process.env['NODE_USE_ENV_PROXY'] === '1')
  const shared = { clock, fieldManager: fieldManagers.children, userAgent: 'svc-operator', metrics }
  // A request of the election that hangs must not cost the lead.
  const timeoutMs = Math.max(1_000, electionTimes.renewDeadlineMs / 2)
  return createManager({
    ...config,
    election: electionTimes,
    client: createClient({ ...shared, connection, serverClock }),
    electionClient: createClient({ ...shared, connection: open(), timeoutMs }),
    identity: `${config.podName}_${randomBytes(6).toString('hex')}`,
    clock: serverClock,
    random: Math.random,
    logger,
    metrics,
    gauges: instruments,
    openStore: (url, { ca, poolSize = 2 }) =>
      openStore({
        kind: 'postgres',
        url,
        ca,
        poolSize,
        lookup,
        applicationName: 'svc-operator',
        maxAnswerBytes: MAX_DATABASE_ANSWER_BYTES,
        onTimeoutRefused: () => warnOfRefusedTimeout(logger),
      }),
    openNetwork: (key) => openPoolNetwork(key, { clock, logger, openFetch }),
  })
}
