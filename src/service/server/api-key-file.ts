import { readFile } from 'node:fs/promises'
import { type ApiKeyEntry, parseApiKeys } from '../../platform/core/api-key-entry.ts'
import { startBackgroundLoop } from '../../platform/core/time/background-loop.ts'
import type { Clock } from '../../platform/core/time/clock.ts'
import type { ApiKeys } from '../../platform/http/access/api-keys.ts'
import type { Logger } from '../../platform/telemetry/logs/logger.ts'

export interface ApiKeyFileOptions {
  readonly file: string
  readonly keys: ApiKeys
  readonly clock: Clock
  readonly logger: Logger
}

/** Kubernetes takes up to a minute to update a mounted secret; five seconds more add little. */
const READ_EVERY_MS = 5_000

/**
 * Reads the API keys from the file, now and every five seconds, until it is disposed of. It does not
 * watch the file, because Kubernetes replaces the directory that holds it.
 *
 * A file that is empty or missing withdraws all keys: an administrator empties or deletes it for that. It has to be so
 * in two reads in a row, since a program that writes the file may empty or delete it first. A file that holds anything
 * but digests, or cannot be read, is a mistake: it is logged once and the old keys stay valid.
 */
export function followApiKeyFile({
  file,
  keys,
  clock,
  logger,
}: ApiKeyFileOptions): AsyncDisposable {
  const onError = (err: unknown) =>
    logger.error({ file, err }, 'The API keys could not be read again; the old ones stay valid')
  let last: string | undefined
  let repeats = 0
  return startBackgroundLoop({
    clock,
    pauseMs: READ_EVERY_MS,
    onError,
    run: async () => {
      const read = await readText(file)
      const current = read instanceof Error ? read.message : read
      repeats = current === last ? repeats + 1 : 0
      last = current
      const isGone = read === '' || isMissing(read)
      if (repeats !== (isGone ? 1 : 0)) return
      const entries = isGone ? [] : entriesIn(read)
      keys.replace(entries)
      if (!isGone) return logger.info({ count: entries.length }, 'API keys read')
      const what = read === '' ? 'empty' : 'missing'
      logger.warn({ file }, `No API key is accepted: the file with the digests is ${what}`)
    },
  })
}

/** Without the white space around it. */
const readText = (file: string): Promise<string | Error> =>
  readFile(file, 'utf8').then(
    (text) => text.trim(),
    (error: Error) => error,
  )

const isMissing = (read: string | Error): boolean =>
  read instanceof Error && 'code' in read && (read.code === 'ENOENT' || read.code === 'ENOTDIR')

function entriesIn(read: string | Error): readonly ApiKeyEntry[] {
  if (read instanceof Error) throw read
  const parsed = parseApiKeys(read)
  if (!parsed.ok) throw new Error(`the file holds something other than digests: ${parsed.problem}`)
  return parsed.entries
}
