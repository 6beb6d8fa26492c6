import { readFile } from 'node:fs/promises'
import { parseDigests } from '../config/api-keys.ts'
import type { Clock } from '../core/clock.ts'
import type { ApiKeys } from '../http/api-keys.ts'
import type { Logger } from '../telemetry/logger.ts'

export interface ApiKeyFileOptions {
  readonly file: string
  readonly keys: ApiKeys
  readonly clock: Clock
  readonly logger: Logger
  readonly everyMs?: number
}

/** A mounted secret reaches a pod within a minute or so; five seconds add little to that. */
const READ_EVERY_MS = 5_000

/**
 * Keeps the keys as the file says, until it is disposed of. The file is read again rather than
 * watched: an orchestrator swaps the folder it is in. What cannot be read or holds no digests
 * changes nothing and is told once; the keys that were known stay known.
 */
export function followApiKeyFile(options: ApiKeyFileOptions): AsyncDisposable {
  const { clock, everyMs = READ_EVERY_MS } = options
  const stop = new AbortController()
  const following = (async () => {
    let seen = ''
    while (!stop.signal.aborted) {
      seen = await readAgain(options, seen)
      await clock.sleep(everyMs, stop.signal).catch(() => undefined)
    }
  })()
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await following
    },
  }
}

/** @returns what it saw, so that the same is not judged twice */
async function readAgain({ file, keys, logger }: ApiKeyFileOptions, seen: string): Promise<string> {
  const content = await readFile(file, 'utf8').catch((error: Error) => error)
  const found = content instanceof Error ? content.message : content
  if (found === seen) return seen
  const digests = content instanceof Error ? undefined : parseDigests(content)
  if (digests === undefined) {
    logger.error(
      { file, ...(content instanceof Error && { err: content }) },
      'The API keys could not be read again; the known ones stay',
    )
    return found
  }
  keys.replace(digests)
  logger.info({ count: digests.length }, 'API keys read')
  return found
}
