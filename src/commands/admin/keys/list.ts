/** `svc keys list`: each API key of the configuration, whether it is valid, and when it was last used. */

import { type LastKeyUse, readKeyUses } from '../../../payments/store/usage/key-uses.ts'
import {
  type ApiKeyEntry,
  type ApiKeyState,
  apiKeySubject,
  stateOfApiKey,
} from '../../../platform/core/api-key-entry.ts'
import { isoTime } from '../../../platform/core/text/iso-time.ts'
import { openStore } from '../../../platform/database/open.ts'
import { requireSchema } from '../../../service/server/schema-outdated.ts'
import type { KeysConfig } from '../../../settings/keys.ts'
import { personTable, type Row } from '../../command-line/person-table.ts'
import { printWhole } from '../../command-line/print.ts'

/** A line of JSON. */
interface ListedKey {
  readonly subject: string
  /** Null when the entry has none; of a key that is not configured, that of its last use. */
  readonly name: string | null
  readonly state: ApiKeyState | 'notConfigured'
  readonly from: string | null
  readonly until: string | null
  /** Null: no use is noted. Absent: the store cannot know. */
  readonly lastUsedAt?: string | null
  /** The last day with a counted payment request, in UTC; null and absent likewise. */
  readonly lastCountedOn?: string | null
}

const NOT_KNOWN =
  'with STORE=memory only the service itself knows when a key was used: GET /usage with the key shows its days'

export async function listKeys(
  { entries, store }: KeysConfig,
  { now, forPerson }: { readonly now: number; readonly forPerson: boolean },
): Promise<void> {
  const listed = listOf(entries, await usesIn(store), now)
  if (store.kind === 'memory') process.stderr.write(`svc keys list: ${NOT_KNOWN}\n`)
  const lines = listed.map((key) => `${JSON.stringify(key)}\n`)
  await printWhole(forPerson ? tablesOf(listed) : lines.join(''))
}

/** Undefined with STORE=memory. */
async function usesIn(config: KeysConfig['store']): Promise<readonly LastKeyUse[] | undefined> {
  if (config.kind === 'memory') return undefined
  await using store = await openStore({ ...config, poolSize: 1 })
  await requireSchema(store)
  return await readKeyUses(store.db)
}

/** The keys in the order of the configuration, followed by the keys that it no longer has, the last one used first. */
export function listOf(
  entries: readonly ApiKeyEntry[],
  uses: readonly LastKeyUse[] | undefined,
  now: number,
): readonly ListedKey[] {
  const bySubject = new Map(uses?.map((use) => [use.subject, use]))
  const lastUse = (subject: string) => {
    const { lastUsedAt = null, lastCountedOn = null } = bySubject.get(subject) ?? {}
    return uses && { lastUsedAt: lastUsedAt && isoTime(lastUsedAt.getTime()), lastCountedOn }
  }
  const configured = entries.map((entry) => ({
    subject: apiKeySubject(entry.digest),
    name: entry.name ?? null,
    state: stateOfApiKey(entry, now),
    from: entry.from === undefined ? null : isoTime(entry.from),
    until: entry.until === undefined ? null : isoTime(entry.until),
    ...lastUse(apiKeySubject(entry.digest)),
  }))
  const known = new Set(configured.map(({ subject }) => subject))
  const others = (uses ?? [])
    .filter(({ subject }) => !known.has(subject))
    .map(({ subject, name }) => ({
      subject,
      name,
      state: 'notConfigured' as const,
      from: null,
      until: null,
      ...lastUse(subject),
    }))
  return [...configured, ...others]
}

/** The tables that show the keys to a person. */
export function tablesOf(keys: readonly ListedKey[]): string {
  const configured = keys.filter(({ state }) => state !== 'notConfigured')
  const others = keys.filter(({ state }) => state === 'notConfigured')
  const first =
    configured.length === 0
      ? 'No API key is configured.\n'
      : personTable('API keys', configured.map(rowOf))
  return others.length === 0
    ? first
    : `${first}\n${personTable('No longer configured', others.map(rowOf))}`
}

const rowOf = (key: ListedKey): Row => [
  key.subject,
  [...(key.name === null ? [] : [key.name]), ...validity(key), ...lastUse(key)].join(', '),
]

function validity({ state, from, until }: ListedKey): readonly string[] {
  if (state === 'notConfigured') return []
  if (state === 'notYet') return [`not valid before ${from}`, ...(until ? [`until ${until}`] : [])]
  if (state === 'ended') return [`ended ${until}`]
  return [until === null ? 'valid' : `valid until ${until}`]
}

function lastUse({ lastUsedAt, lastCountedOn, state, until }: ListedKey): readonly string[] {
  if (lastUsedAt === undefined) return []
  // A replica that was killed may have noted its last uses by day alone.
  const isCountedLater = lastCountedOn && lastCountedOn > (lastUsedAt ?? '').slice(0, 10)
  if (isCountedLater) return [`last used on ${lastCountedOn}`]
  if (lastUsedAt === null) return ['never used']
  const isAfterEnd = state === 'ended' && until !== null && lastUsedAt >= until
  return [`last used ${lastUsedAt}${isAfterEnd ? ', after its end: a caller still sends it' : ''}`]
}
