import { deepFreeze } from '../platform/core/deep-freeze.ts'
import { type LogLevel, logLevels } from '../platform/core/log-levels.ts'
import { SIGNING_MARGIN_SECONDS } from '../platform/core/signing-margin.ts'
import type { Problem } from './parser/config-error.ts'
import { Environment, type Variables } from './parser/environment.ts'
import { parseSettings, settingsOrThrow } from './parser/settings.ts'
import { boolean, choice, integer, optionalInteger, splitList, text } from './rows/kinds.ts'

/** What `svc operator` needs. */
export interface OperatorConfig {
  readonly host: string
  readonly adminPort: number
  readonly logLevel: LogLevel
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[]
  /** The Lease of the leader election. */
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Part of this process's identity in the election. */
  readonly podName: string
  /** Image of a Facilitator that names none; empty when every Facilitator must name one. */
  readonly facilitatorImage: string
  /** Address of the folder of runbooks that alerts link to, without a slash at the end; undefined for the project's. */
  readonly runbooks: string | undefined
  readonly election: {
    readonly durationMs: number
    readonly renewDeadlineMs: number
    readonly renewMs: number
  }
  /** Validity of the transactions that a leader signs. */
  readonly transactionValiditySeconds: number
  readonly resyncMs: number
  /** Whether the operator may list and watch Secrets; without, it reads them by name. */
  readonly watchSecrets: boolean
  readonly qps: number
  readonly burst: number
}

/** Less would expire before the next ledger. */
const LEAST_VALIDITY_SECONDS = 2
/** Long enough for a few ledgers. */
const USUAL_VALIDITY_SECONDS = 20

const isName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)

export const operatorSettings = {
  WATCH_NAMESPACES: {
    help: 'Namespaces whose resources are reconciled, comma-separated; all of them when unset.',
    ...text(''),
  },
  POD_NAMESPACE: { help: 'Namespace of the Lease that elects the leader.', ...text('default') },
  POD_NAME: { help: 'Name of the pod; part of its identity in the election.', ...text('operator') },
  LEASE_NAME: { help: 'Name of that Lease.', ...text('x402-stellar-operator') },
  LEASE_DURATION_SECONDS: {
    help: 'How long a lease is valid after its last renewal.',
    ...integer(3, 600, 30),
  },
  LEASE_RENEW_DEADLINE_SECONDS: {
    help: 'A leader exits when it could not renew its lease for this long.',
    ...integer(2, 600, 20),
  },
  LEASE_RENEW_SECONDS: { help: 'How often a leader renews its lease.', ...integer(1, 600, 4) },
  TRANSACTION_VALIDITY_SECONDS: {
    help: 'How long a transaction of the leader is valid. The leader signs one only if it expires at least 2 s before the lease, so all have expired when another replica leads.',
    ...optionalInteger(LEAST_VALIDITY_SECONDS, 60, '20, or less with a shorter lease'),
  },
  FACILITATOR_IMAGE: {
    help: 'Image of the pods of a Facilitator that does not specify one.',
    ...text(''),
  },
  RUNBOOK_BASE_URL: {
    help: 'Address of the folder with the runbooks, to which the alerts of every Facilitator link, such as one of your own; that of the project when unset.',
    ...text(''),
  },
  RESYNC_SECONDS: {
    help: 'Full resync interval, ±10 %: the operator reconciles every resource this often, changed or not.',
    ...integer(1, 86_400, 300),
  },
  SECRETS_WATCH: {
    help: 'Whether the operator watches Secrets, so that it sees their changes at once; without, it reads those that resources name every 5 minutes, and needs no right to list them.',
    ...boolean(true),
  },
  KUBE_QPS: {
    help: 'Maximum requests per second to the API server, on average.',
    ...integer(1, 10_000, 50),
  },
  KUBE_BURST: {
    help: 'Requests that may be sent at once before `KUBE_QPS` applies.',
    ...integer(1, 10_000, 100),
  },
  HOST: {
    help: 'Address that the admin port listens on; `::` is every IPv4 and IPv6 address.',
    ...text('::'),
  },
  ADMIN_PORT: {
    help: 'Port of `/livez`, `/readyz` and `/metrics`.',
    ...integer(0, 65_535, 9_090),
  },
  LOG_LEVEL: { help: 'Lowest level that is logged.', ...choice(logLevels, 'info') },
}

/** Reads the environment of `svc operator`. Throws `ConfigError` with every problem in it. */
export function loadOperatorConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): OperatorConfig {
  const environment = new Environment(variables, readFile)
  const parsed = parseSettings(operatorSettings, (name, options) => environment.read(name, options))
  const settings = settingsOrThrow(parsed, [...parsed.problems, ...problemsOf(parsed.settings)])
  return deepFreeze({
    host: settings.HOST,
    adminPort: settings.ADMIN_PORT,
    logLevel: settings.LOG_LEVEL,
    namespaces: splitList(settings.WATCH_NAMESPACES),
    lease: { namespace: settings.POD_NAMESPACE, name: settings.LEASE_NAME },
    podName: settings.POD_NAME,
    facilitatorImage: settings.FACILITATOR_IMAGE,
    runbooks: settings.RUNBOOK_BASE_URL.replace(/\/+$/, '') || undefined,
    election: {
      durationMs: settings.LEASE_DURATION_SECONDS * 1_000,
      renewDeadlineMs: settings.LEASE_RENEW_DEADLINE_SECONDS * 1_000,
      renewMs: settings.LEASE_RENEW_SECONDS * 1_000,
    },
    transactionValiditySeconds:
      settings.TRANSACTION_VALIDITY_SECONDS ??
      Math.min(USUAL_VALIDITY_SECONDS, longestValidity(settings)),
    resyncMs: settings.RESYNC_SECONDS * 1_000,
    watchSecrets: settings.SECRETS_WATCH,
    qps: settings.KUBE_QPS,
    burst: settings.KUBE_BURST,
  })
}

type Parsed = ReturnType<typeof parseSettings<typeof operatorSettings>>['settings']

type Timings = Pick<Parsed, 'LEASE_DURATION_SECONDS' | 'LEASE_RENEW_SECONDS'>

/** Seconds that are left of a lease just before its renewal, less the margin for signing. */
const longestValidity = ({
  LEASE_DURATION_SECONDS: duration = 0,
  LEASE_RENEW_SECONDS: renew = 0,
}: Timings): number => duration - renew - SIGNING_MARGIN_SECONDS

const problemsOf = (settings: Parsed): readonly Problem[] => [
  ...namespaceProblems(settings),
  ...electionProblems(settings),
  ...runbookProblems(settings),
]

function namespaceProblems({ WATCH_NAMESPACES: namespaces = '' }: Parsed): readonly Problem[] {
  const wrong = splitList(namespaces).filter((name) => !isName(name))
  if (wrong.length === 0) return []
  const message = `must be names of namespaces with commas between them, not ${wrong.join(', ')}`
  return [{ variable: 'WATCH_NAMESPACES', message }]
}

/** A relative link leads nowhere from where an alert is read. */
function runbookProblems({ RUNBOOK_BASE_URL: url = '' }: Parsed): readonly Problem[] {
  if (url === '' || /^https?:\/\/[^/]/.test(url)) return []
  const message = `must be an address that starts with http:// or https://, not ${url}`
  return [{ variable: 'RUNBOOK_BASE_URL', message }]
}

function electionProblems({
  LEASE_DURATION_SECONDS: duration = 0,
  LEASE_RENEW_DEADLINE_SECONDS: deadline = 0,
  LEASE_RENEW_SECONDS: renew = 0,
  TRANSACTION_VALIDITY_SECONDS: given,
}: Parsed): readonly Problem[] {
  // A value that is no number is a problem of its own.
  if ([duration, deadline, renew].includes(0)) return []
  const longest = longestValidity({ LEASE_DURATION_SECONDS: duration, LEASE_RENEW_SECONDS: renew })
  const validity = given ?? LEAST_VALIDITY_SECONDS
  const problems: readonly (readonly [isProblem: boolean, variable: string, message: string])[] = [
    [
      deadline >= duration,
      'LEASE_RENEW_DEADLINE_SECONDS',
      `must be less than LEASE_DURATION_SECONDS (${duration})`,
    ],
    [
      renew >= deadline,
      'LEASE_RENEW_SECONDS',
      `must be less than LEASE_RENEW_DEADLINE_SECONDS (${deadline})`,
    ],
    [
      validity > longest,
      given === undefined ? 'LEASE_DURATION_SECONDS' : 'TRANSACTION_VALIDITY_SECONDS',
      given === undefined
        ? `must be at least ${renew + SIGNING_MARGIN_SECONDS + validity}, or nothing could be signed: ` +
          `LEASE_RENEW_SECONDS (${renew}), ${SIGNING_MARGIN_SECONDS} and ${validity}`
        : `must be at most ${longest}, or nothing could be signed: LEASE_DURATION_SECONDS ` +
          `(${duration}) less LEASE_RENEW_SECONDS (${renew}) and ${SIGNING_MARGIN_SECONDS}`,
    ],
  ]
  return problems.flatMap(([isProblem, variable, message]) =>
    isProblem ? [{ variable, message }] : [],
  )
}
