/** The checks that are made once, whatever networks are served, but for those of the store. */
import {
  type ApiKeyEntry,
  type ApiKeyState,
  stateOfApiKey,
} from '../../platform/core/api-key-entry.ts'
import { countOf } from '../../platform/core/text/count-of.ts'
import type { SecretFile, ServiceFacts } from '../facts/doctor-facts.ts'
import { known, serviceCheck } from './check.ts'
import type { Finding } from './problem.ts'

const OTHERS_MAY_READ = 0o004
const OTHERS_MAY_WRITE = 0o002

const facts = (all: ServiceFacts) => known(all)

/** About the files among these, if any. */
const exposed = (files: readonly SecretFile[], may: 'read' | 'write'): Finding | undefined =>
  files.length === 0
    ? undefined
    : {
        says: `every user of this machine may ${may} ${files.map(({ variable }) => variable).join(', ')}`,
        todo: `chmod 600 ${files.map(({ path }) => path).join(' ')}`,
      }

const openNetworks = ({ config }: ServiceFacts): readonly string[] =>
  config.networks.filter(({ requireApiKey }) => !requireApiKey).map(({ id }) => id)

const countsByState = ({
  config: { apiKeys },
  now,
}: ServiceFacts): Partial<Record<ApiKeyState, number>> =>
  Object.fromEntries(
    [...Map.groupBy(apiKeys.entries, (entry: ApiKeyEntry) => stateOfApiKey(entry, now))].map(
      ([state, those]) => [state, those.length],
    ),
  )

export const serviceChecks = [
  serviceCheck({
    name: 'configuration',
    read: facts,
    problems: [],
    ok: ({ config }) => `valid, for ${config.networks.map(({ id }) => id).join(', ')}`,
  }),
  serviceCheck({
    name: 'secret-files',
    read: ({ secretFiles }) => known(secretFiles),
    problems: [
      {
        name: 'secret-writable',
        doctor: 'problem',
        findIn: (files) =>
          exposed(
            files.filter(({ mode }) => (mode & OTHERS_MAY_WRITE) !== 0),
            'write',
          ),
      },
      {
        name: 'secret-readable',
        doctor: 'warning',
        findIn: (files) =>
          exposed(
            files.filter(({ mode, isSecret }) => isSecret && (mode & OTHERS_MAY_READ) !== 0),
            'read',
          ),
      },
    ],
    ok: (files) =>
      files.length === 0 ? 'none in use' : `${countOf(files.length, 'file')}, private`,
  }),
  serviceCheck({
    name: 'api-keys',
    read: facts,
    problems: [
      {
        name: 'public-network-open',
        doctor: 'warning',
        findIn: (all) =>
          openNetworks(all).includes('stellar:pubnet')
            ? {
                says: 'anyone may spend XLM of the sponsor of stellar:pubnet',
                todo: 'set PUBNET_REQUIRE_API_KEY=true, or MAX_SPONSOR_SPEND_XLM_PER_HOUR to what you can lose',
              }
            : undefined,
      },
      {
        // A network that requires keys where none is configured passes the configuration only with an empty file of
        // digests. All of its keys may have ended, too.
        name: 'no-valid-key',
        doctor: 'warning',
        findIn: (all) => {
          const { networks, apiKeys } = all.config
          const closed = networks.filter(({ requireApiKey }) => requireApiKey).map(({ id }) => id)
          if (closed.length === 0 || countsByState(all).valid) return undefined
          const what =
            apiKeys.entries.length === 0 ? 'no key is configured' : 'no configured key is valid'
          return {
            says: `${what}, so every payment is refused on ${closed.join(', ')}`,
            todo: 'add the entry of svc keys new to the file of API_KEY_SHA256_FILE',
          }
        },
      },
    ],
    ok: (all) => {
      const open = openNetworks(all)
      const { notYet, ended } = countsByState(all)
      const configured = [
        `${countOf(all.config.apiKeys.entries.length, 'key')} configured`,
        ...(notYet ? [`${notYet} not valid yet`] : []),
        ...(ended ? [`${ended} ended`] : []),
      ].join(', ')
      return open.length === 0 ? configured : `${configured}, not required on ${open.join(', ')}`
    },
  }),
]
