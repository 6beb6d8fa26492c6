import { createHash, randomBytes } from 'node:crypto'
import {
  type ApiKeyEntry,
  apiKeyEntryText,
  parseApiKeyName,
  parseApiKeyTime,
} from '../../../platform/core/api-key-entry.ts'
import { systemClock } from '../../../platform/core/time/clock.ts'
import { StoreUnavailable } from '../../../platform/database/postgres/unavailable.ts'
import { SchemaNewer } from '../../../platform/database/schema-newer.ts'
import { messageOf } from '../../../service/process/message-of.ts'
import { SchemaOutdated } from '../../../service/server/schema-outdated.ts'
import { loadKeysConfig } from '../../../settings/keys.ts'
import { command } from '../../command-line/command.ts'
import { type Flag, text } from '../../command-line/flags.ts'
import { isForPerson, outputFlags } from '../../command-line/for-person.ts'
import { UsageError } from '../../command-line/usage-error.ts'
import { listKeys } from './list.ts'

type Action = 'new' | 'list'

/** A flag whose value is a part of an entry. */
const part = <Value>(
  shows: string,
  help: string,
  parse: (given: string) => { readonly value: Value } | { readonly problem: string },
): Flag<Value | undefined> => ({
  ...text(shows, help),
  read: (given, name) => {
    if (given === undefined) return undefined
    const parsed = parse(given)
    if ('value' in parsed) return parsed.value
    throw new UsageError(`${name} is ${parsed.problem}`)
  },
})

export const keys = command({
  name: 'keys',
  summary: 'makes API keys, and shows when each was last used',
  usage: [
    'svc keys new [--name NAME] [--from TIME] [--until TIME]',
    'svc keys list [--json | --human]',
  ],
  flags: {
    name: part('NAME', 'of new: whose key it is, for svc keys list', parseApiKeyName),
    from: part('TIME', 'of new: not valid before, such as 2026-12-01T00:00:00Z', parseApiKeyTime),
    until: part('TIME', 'of new: valid until just before', parseApiKeyTime),
    ...outputFlags,
  },
  actions: { new: ['name', 'from', 'until'], list: ['json', 'human'] },
  notes: [
    'new prints a line of JSON with a new key:',
    '',
    'key     for the caller, who sends it as "Authorization: Bearer <key>"',
    '        or "X-API-Key: <key>". It is stored nowhere: keep it.',
    'sha256  its digest',
    'entry   the digest with the given name and times, for API_KEY_SHA256 of the',
    '        service, or for the file that API_KEY_SHA256_FILE names. Separate',
    '        several with commas or newlines.',
    '',
    'list prints a line of JSON for each key of API_KEY_SHA256, or a table on a terminal: its subject',
    'as in /usage, its name, its state (valid, notYet, ended), and when a request to any replica last',
    'carried it, accepted or not, to about a minute. Keys that are no longer configured follow, with',
    'the state notConfigured, for 400 days after their last use.',
  ],
  env: [
    ['API_KEY_SHA256', 'of list: the keys of the service, or API_KEY_SHA256_FILE'],
    ['DATABASE_URL', 'of list: or DATABASE_URL_FILE; with STORE=memory no use is known'],
  ],
  exits: { 0: 'done', 1: 'the database does not answer, or its schema is not of this version' },
  example: 'svc keys new --name shop --until 2027-01-01T00:00:00Z',
  config: (variables, _, action: Action) =>
    action === 'list' ? loadKeysConfig(variables) : undefined,
  explain: messageOf(StoreUnavailable, SchemaNewer, SchemaOutdated),
  run: async ({ flags, config }) => {
    const now = systemClock.now()
    if (config) await listKeys(config, { now, forPerson: isForPerson(flags) })
    else makeKey(aboutKey(flags, now))
    return 0
  },
})

interface About {
  readonly name: string | undefined
  readonly from: number | undefined
  readonly until: number | undefined
}

function aboutKey({ name, from, until }: About, now: number): Omit<ApiKeyEntry, 'digest'> {
  if (until !== undefined && until <= Math.max(now, from ?? now)) {
    const after = from !== undefined && from > now ? '--from' : 'now'
    throw new UsageError(`--until must be later than ${after}`)
  }
  return {
    ...(name !== undefined && { name }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  }
}

/** An API key is as hard to guess as a seed, which has 32 bytes, too. */
const KEY_BYTES = 32

/** Makes an API key, and the entry with which a service accepts it; prints both as a line of JSON. */
function makeKey(about: Omit<ApiKeyEntry, 'digest'>): void {
  const key = `svc_${randomBytes(KEY_BYTES).toString('base64url')}`
  const sha256 = createHash('sha256').update(key).digest('hex')
  const entry = apiKeyEntryText({ digest: sha256, ...about })
  process.stdout.write(`${JSON.stringify({ key, sha256, entry })}\n`)
}
