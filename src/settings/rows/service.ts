import { z } from 'zod'
import { logLevels } from '../../platform/core/log-levels.ts'
import { apiKeyEntries } from './api-key-entries.ts'
import { choice, dollars, integer, optionalInteger, optionalUrl, text } from './kinds.ts'
import { networks } from './networks.ts'
import { settingsTable } from './row.ts'

/** An optional base URL without a slash at its end. */
const baseUrl = {
  ...optionalUrl,
  schema: optionalUrl.schema.transform((url) => {
    if (url === undefined) return undefined
    const { origin, pathname } = new URL(url)
    return origin + pathname.replace(/\/+$/, '')
  }),
}

const proxyHops = integer(0, 10, 0)

const capitalized = <Word extends string>(word: Word) =>
  `${word.charAt(0).toUpperCase()}${word.slice(1)}` as Capitalize<Word>

/** The settings of a service other than those of its store, its networks, the catalog and the explorer. */
export const serviceSettings = settingsTable({
  HOST: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Address that the service listens on; `::` is every IPv4 and IPv6 address.',
    ...text('::'),
  },
  PORT: {
    alsoReadBy: ['catalog'],
    help: 'Port of the service; 0 takes any free port.',
    ...integer(0, 65_535, 8_080),
  },
  ADMIN_PORT: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Port of `/livez`, `/readyz` and `/metrics`; do not expose it outside the cluster.',
    ...integer(0, 65_535, 9_090),
  },
  BODY_LIMIT_BYTES: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'A larger request body is refused.',
    ...integer(1_024, 1_048_576, 131_072),
  },
  KEEP_ALIVE_SECONDS: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Seconds for which a connection without a request stays open. A load balancer in front must close its idle connections earlier, or now and then it sends a request over one that was just closed, and answers 502.',
    preflight: false,
    crd: { path: 'keepAliveSeconds', presence: 'optional' },
    ...integer(1, 3_600, 72),
  },
  RATE_LIMIT_PER_MINUTE: {
    alsoReadBy: ['catalog'],
    help: 'Requests without an accepted API key that one client address may send in a minute, to all replicas together; 0 is no limit.',
    preflight: false,
    crd: {
      path: 'rateLimitPerMinute',
      description:
        'Requests without an accepted API key that one client address may send in a minute, over all replicas; 0 is no limit.',
    },
    ...integer(0, 1_000_000, 600),
  },
  RATE_LIMIT_PER_KEY_PER_MINUTE: {
    help: 'Requests that may carry one accepted API key in a minute, from any address, to all replicas together; 0 is no limit. They do not count for their address.',
    preflight: false,
    crd: {
      path: 'rateLimitPerKeyPerMinute',
      description:
        'Requests that may carry one API key of apiKeys in a minute, from any address, over all replicas; 0 is no limit.',
    },
    ...integer(0, 1_000_000, 6_000),
  },
  TRUSTED_PROXY_HOPS: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Proxies in front of the service that append to `X-Forwarded-For`; with 0 the header is not read.',
    preflight: false,
    crd: {
      path: 'route.trustedProxyHops',
      description: 'Proxies in front of the pods that append to X-Forwarded-For.',
      type: proxyHops.field.default(1),
      unset: '0',
    },
    ...proxyHops,
  },
  PUBLIC_URL: {
    alsoReadBy: ['explorer'],
    help: 'Where others reach the facilitator, such as https://x402.example.com. The signers then prove at `/supported/proofs` that they are of this facilitator, and an explorer to which it is [announced](explorer.md#facilitators) attributes payments to it. The pages of the explorer name it to those who want to pay.',
    preflight: false,
    ...baseUrl,
  },
  API_KEY_SHA256: {
    member: false,
    help: 'Each accepted API key: the `entry` that `svc keys new` prints, a digest and, if given, a name and the time in which the key [is valid](access.md#api-keys). The service reads `API_KEY_SHA256_FILE` again every five seconds; while it is empty, no key is accepted.',
    secret: true,
    mayBeEmptyFile: true,
    ...apiKeyEntries,
  },
  SHUTDOWN_GRACE_MS: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'How long a stopping service waits for the requests in flight.',
    ...integer(0, 600_000, 30_000),
  },
  SHUTDOWN_KEEP_ALIVE_MS: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'How long a stopping service still serves requests, over new connections too, and ends each connection with its next answer, before it refuses requests and closes idle connections; part of `SHUTDOWN_GRACE_MS`. For replicas behind a load balancer: no request fails of a client that keeps connections, or of a balancer that learns late of the end.',
    ...integer(0, 600_000, 0),
  },
  RECONCILE_INTERVAL_MS: {
    help: 'How often a replica searches the store for settlements whose process has died.',
    ...integer(1_000, 600_000, 5_000),
  },
  SETTLEMENT_RETENTION_DAYS: {
    help: 'Settlements that ended this many days ago are deleted once their authorizations have long expired.',
    preflight: false,
    crd: {
      path: 'settlementRetentionDays',
      description:
        'Settlements that ended this many days ago are deleted once their authorizations have long expired; all are kept when absent.',
    },
    ...optionalInteger(1, 3_650, 'all are kept'),
  },
  SERVICE_FEE_PER_SETTLEMENT_USD: {
    member: 'serviceFee',
    help: 'US dollars that `/usage` counts for each successful settlement of a caller; the service charges nothing.',
    preflight: false,
    crd: {
      path: 'serviceFeePerSettlementUsd',
      description: 'Service fee in USD, which each settlement adds to the usage of its caller.',
    },
    ...dollars('0'),
  },
  LOG_LEVEL: {
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Lowest level that is logged.',
    preflight: false,
    crd: {
      path: 'logLevel',
      description: 'Log level of every pod.',
      type: z.enum(logLevels.map(capitalized)).default('Info'),
      text: (level: string) => level.toLowerCase(),
    },
    ...choice(logLevels, 'info'),
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    member: 'tracesEndpoint',
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Base URL of an OpenTelemetry collector (OTLP over HTTP) that receives the traces; when unset, nothing is traced.',
    crd: {
      path: 'tracing.endpoint',
      presence: 'required',
      description:
        'Base address of an OpenTelemetry collector (OTLP over HTTP) that receives the traces.',
    },
    ...optionalUrl,
  },
  SVC_VERSION: {
    member: 'version',
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Version that the service reports.',
    ...text('dev'),
  },
  NETWORKS: {
    member: false,
    alsoReadBy: ['catalog', 'explorer'],
    help: 'Networks to serve.',
    ...networks,
  },
})
