import { deepFreeze } from '../platform/core/language/deep-freeze.ts'
import { logLevels } from '../platform/core/log-levels.ts'
import { electionTimes } from '../platform/core/time/election-times.ts'
import { SIGNING_MARGIN_SECONDS } from '../platform/core/time/signing-margin.ts'
import { Environment, type Variables } from './parser/environment.ts'
import { parseSettings, settingsOrThrow } from './parser/settings.ts'
import { boolean, choice, integer, splitList, text } from './rows/kinds.ts'
import { type MembersOf, membersOf, settingsTable } from './rows/row.ts'

/** Less would expire before the next ledger. */
const LEAST_VALIDITY_SECONDS = 2
/** Long enough for a few ledgers. */
const USUAL_VALIDITY_SECONDS = 20
/** The time left of a lease just before its renewal, less the margin for signing: with a longer validity nothing could be signed. */
const LONGEST_VALIDITY_SECONDS =
  (electionTimes.durationMs - electionTimes.renewMs) / 1_000 - SIGNING_MARGIN_SECONDS

const isName = (name: string): boolean => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)

const namespaces = {
  ...text(''),
  schema: text('').schema.transform((list, context): readonly string[] => {
    const names = splitList(list)
    const wrong = names.filter((name) => !isName(name))
    if (wrong.length > 0) {
      const message = `must be names of namespaces with commas between them, not ${wrong.join(', ')}`
      context.addIssue({ code: 'custom', message })
    }
    return names
  }),
}

/** A relative link leads nowhere from where an alert is read. */
const runbooks = {
  ...text(''),
  schema: text('').schema.transform((url, context) => {
    if (url !== '' && !/^https?:\/\/[^/]/.test(url)) {
      const message = `must be an address that starts with http:// or https://, not ${url}`
      context.addIssue({ code: 'custom', message })
    }
    return url.replace(/\/+$/, '') || undefined
  }),
}

const path = { ...text(''), schema: text('').schema.transform((value) => value || undefined) }

/** Whole seconds, read as milliseconds. */
const seconds = (min: number, max: number, fallback: number) => {
  const kind = integer(min, max, fallback)
  return { ...kind, schema: kind.schema.transform((value) => value * 1_000) }
}

export const operatorSettings = settingsTable({
  WATCH_NAMESPACES: {
    member: 'namespaces',
    help: 'Namespaces whose resources are reconciled, comma-separated; all of them when unset.',
    ...namespaces,
  },
  POD_NAMESPACE: {
    member: 'lease.namespace',
    help: 'Namespace of the Lease that elects the leader.',
    ...text('default'),
  },
  POD_NAME: { help: 'Name of the pod; part of its identity in the election.', ...text('operator') },
  LEASE_NAME: {
    member: 'lease.name',
    help: 'Name of that Lease.',
    ...text('stellar-x402-operator'),
  },
  DIGEST_KEY_SECRET: {
    help: 'Name of the Secret, in the namespace of the Lease, with the key of the digests that say on pods which Secrets they have read; the operator writes the key.',
    ...text('stellar-x402-digest-key'),
  },
  TRANSACTION_VALIDITY_SECONDS: {
    help: 'How long a transaction of the leader is valid. The leader signs one only if it expires at least 2 s before the lease, so all have expired when another replica leads.',
    ...integer(LEAST_VALIDITY_SECONDS, LONGEST_VALIDITY_SECONDS, USUAL_VALIDITY_SECONDS),
  },
  FACILITATOR_IMAGE: {
    help: 'Image of the pods of a Facilitator that does not specify one.',
    ...text(''),
  },
  RUNBOOK_BASE_URL: {
    member: 'runbooks',
    help: 'Address of the folder with the runbooks, to which the alerts of every Facilitator link, such as one of your own; that of the project when unset.',
    ...runbooks,
  },
  RESYNC_SECONDS: {
    member: 'resyncMs',
    help: 'Full resync interval, ±10 %: the operator reconciles every resource this often, changed or not.',
    ...seconds(1, 86_400, 300),
  },
  SECRETS_WATCH: {
    member: 'watchSecrets',
    help: 'Whether the operator watches Secrets, so that it sees their changes at once; without, it reads those that resources name every 5 minutes, and needs no right to list them.',
    ...boolean(true),
  },
  SECRETS_NAMESPACES: {
    member: 'secretNamespaces',
    help: 'Namespaces whose Secrets are watched, comma-separated, where these are fewer than those that are reconciled; the same ones when unset.',
    ...namespaces,
  },
  SIGNER_NAMESPACES: {
    member: 'signerNamespaces',
    help: "Namespaces, comma-separated, whose pools may sign with what is the operator's own: its login to Vault, PKCS#11 libraries and sockets in its pod; none when unset.",
    ...namespaces,
  },
  VAULT_LOGIN_TOKEN_PATH: {
    member: 'vaultTokenFile',
    help: 'Path of the service account token with which the operator logs in to Vault for sponsors whose key is there; without it no such pool is managed.',
    ...path,
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
})

/** The configuration of `svc operator`. */
export type OperatorConfig = MembersOf<typeof operatorSettings>

/** Reads the environment of `svc operator`. Throws `ConfigError` with every problem in it. */
export function loadOperatorConfig(
  variables: Variables,
  readFile?: (path: string) => string,
): OperatorConfig {
  const environment = new Environment(variables, readFile)
  const parsed = parseSettings(operatorSettings, (name, options) => environment.read(name, options))
  return deepFreeze(membersOf(operatorSettings, settingsOrThrow(parsed, parsed.problems)))
}
