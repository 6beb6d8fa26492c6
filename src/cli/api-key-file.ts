import { readFile } from 'node:fs/promises'
import { parseDigests } from '../config/api-keys.ts'
import { startBackgroundLoop } from '../core/background-loop.ts'
import type { Clock } from '../core/clock.ts'
import type { ApiKeys } from '../http/api-keys.ts'
import type { Logger } from '../telemetry/logger.ts'

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
 * watch the file, because Kubernetes replaces the directory that holds it. A missing, empty or invalid
 * file is logged once and the old keys stay valid.
 */
export function followApiKeyFile({
  file,
  keys,
  clock,
  logger,
}: ApiKeyFileOptions): AsyncDisposable {
  const onError = (err: unknown) =>
    logger.error({ file, err }, 'The API keys could not be read again; the old ones stay valid')
  let last = ''
  return startBackgroundLoop({
    clock,
    pauseMs: READ_EVERY_MS,
    onError,
    run: async () => {
      const read = await readText(file)
      const current = read instanceof Error ? read.message : read
      if (current === last) return
      last = current
      if (read instanceof Error) throw read
      const digests = parseDigests(read)
      if (digests === undefined) throw new Error('the file holds something other than digests')
      keys.replace(digests)
      logger.info({ count: digests.length }, 'API keys read')
    },
  })
}

const readText = (file: string): Promise<string | Error> =>
  readFile(file, 'utf8').catch((error: Error) => error)
