import { deepFreeze } from '../core/deep-freeze.ts'
import { type LogLevel, logLevels } from '../core/log-levels.ts'
import { SIGNING_MARGIN_SECONDS } from '../core/signing-margin.ts'
import type { Problem } from './config-error.ts'
import { Environment, type Variables } from './environment.ts'
import { parseSettings, settingsOrThrow } from './settings.ts'
import { choice, integer, splitList, text } from './values.ts'

/** What `svc operator` needs. */
export interface OperatorConfig {
  readonly host: string
  readonly adminPort: number
  readonly logLevel: LogLevel
  /** Empty: all namespaces. */
  readonly namespaces: readonly string[]
  /** Where the lease lives, and how it is called. */
  readonly lease: { readonly namespace: string; readonly name: string }
  /** Of the pod; part of this process's identity. */
  readonly podName: string
  /** For a Facilitator that names no image; empty where every one has to. */
  readonly facilitatorImage: string
  readonly election: {
    readonly durationMs: number
    readonly renewDeadlineMs: number
    readonly renewMs: number
  }
  /** Of what a leader signs. */
  readonly transactionValiditySeconds: number
  readonly resyncMs: number
  readonly qps: number
  readonly burst: number
}

const isName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)

export const operatorSettings = {
  WATCH_NAMESPACES: {
    help: 'Namespaces whose resources are reconciled, comma-separated; all of them when unset.',
    ...text(''),
  },
  POD_NAMESPACE: { help: 'Namespace of the lease that decides who leads.', ...text('default') },
  POD_NAME: { help: 'Name of the pod; part of what identifies a leader.', ...text('operator') },
  LEASE_NAME: { help: 'Name of that lease.', ...text('x402-stellar-operator') },
  LEASE_DURATION_SECONDS: {
    help: 'How long nobody else leads after the last renewal.',
    ...integer(3, 600, 30),
  },
  LEASE_RENEW_DEADLINE_SECONDS: {
    help: 'A leader that could not renew for so long ends.',
    ...integer(2, 600, 20),
  },
  LEASE_RENEW_SECONDS: { help: 'How often a leader renews.', ...integer(1, 600, 4) },
  TRANSACTION_VALIDITY_SECONDS: {
    help: 'How long a transaction of a leader lives. It signs only while its lease lasts 2 s longer, so that a successor never meets one that may still happen.',
    ...integer(2, 60, 20),
  },
  FACILITATOR_IMAGE: {
    help: 'Image of the pods of a Facilitator that names none.',
    ...text(''),
  },
  RESYNC_SECONDS: {
    help: 'How often every resource is looked at for what no watch tells of, give or take 10 %.',
    ...integer(1, 86_400, 300),
  },
  KUBE_QPS: { help: 'Requests a second to the API server.', ...integer(1, 10_000, 50) },
  KUBE_BURST: { help: 'Requests at once before that counts.', ...integer(1, 10_000, 100) },
  HOST: { help: 'Address that the admin port listens on.', ...text('0.0.0.0') },
  ADMIN_PORT: {
    help: 'Port of `/livez`, `/readyz` and `/metrics`.',
    ...integer(0, 65_535, 9_090),
  },
  LOG_LEVEL: { help: 'How much is logged.', ...choice(logLevels, 'info') },
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
    election: {
      durationMs: settings.LEASE_DURATION_SECONDS * 1_000,
      renewDeadlineMs: settings.LEASE_RENEW_DEADLINE_SECONDS * 1_000,
      renewMs: settings.LEASE_RENEW_SECONDS * 1_000,
    },
    transactionValiditySeconds: settings.TRANSACTION_VALIDITY_SECONDS,
    resyncMs: settings.RESYNC_SECONDS * 1_000,
    qps: settings.KUBE_QPS,
    burst: settings.KUBE_BURST,
  })
}

type Parsed = ReturnType<typeof parseSettings<typeof operatorSettings>>['settings']

const problemsOf = (settings: Parsed): readonly Problem[] => [
  ...namespaceProblems(settings),
  ...electionProblems(settings),
]

function namespaceProblems({ WATCH_NAMESPACES: namespaces = '' }: Parsed): readonly Problem[] {
  const wrong = splitList(namespaces).filter((name) => !isName(name))
  if (wrong.length === 0) return []
  const message = `must be names of namespaces with commas between them, not ${wrong.join(', ')}`
  return [{ variable: 'WATCH_NAMESPACES', message }]
}

function electionProblems({
  LEASE_DURATION_SECONDS: duration = 0,
  LEASE_RENEW_DEADLINE_SECONDS: deadline = 0,
  LEASE_RENEW_SECONDS: renew = 0,
  TRANSACTION_VALIDITY_SECONDS: validity = 0,
}: Parsed): readonly Problem[] {
  // One that is no number has its own problem already.
  if ([duration, deadline, renew, validity].includes(0)) return []
  const longest = duration - renew - SIGNING_MARGIN_SECONDS
  const problems: readonly (readonly [is: boolean, variable: string, message: string])[] = [
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
      'TRANSACTION_VALIDITY_SECONDS',
      `must be at most ${longest}, or nothing could be signed: LEASE_DURATION_SECONDS ` +
        `(${duration}) less LEASE_RENEW_SECONDS (${renew}) and ${SIGNING_MARGIN_SECONDS}`,
    ],
  ]
  return problems.flatMap(([is, variable, message]) => (is ? [{ variable, message }] : []))
}
