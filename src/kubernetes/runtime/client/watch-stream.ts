import { addAbortSignal, type Readable } from 'node:stream'
import type { KubeObject } from '../objects/resource.ts'
import { errorOfStatus, KubeError } from './kube-error.ts'

export interface WatchEvent<T extends KubeObject = KubeObject> {
  /** A BOOKMARK carries only a resourceVersion to resume from. */
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  readonly object: T
}

export interface WatchStreamOptions<T extends KubeObject> {
  readonly signal?: AbortSignal
  /** A stream that sends nothing for this long counts as broken. */
  readonly idleMs: number
  /** Names the watch in errors, as in `Watch of pods`. */
  readonly name: string
  /** Makes the object of an event; not called for bookmarks. */
  readonly read: (object: KubeObject) => T
}

const eventTypes: readonly unknown[] = ['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK']
/** Ten times the largest object that etcd stores. */
const MAX_LINE_LENGTH = 16 * 1024 * 1024

/**
 * The events of a watch. Ends when the server ends the stream. Throws a KubeError for an ERROR event (kind
 * gone when the resourceVersion is too old), an unreadable line, a silent stream or a broken connection.
 * A consumer that stops reading closes the connection.
 */
export async function* watchEvents<T extends KubeObject>(
  body: Readable,
  { signal, idleMs, name, read }: WatchStreamOptions<T>,
): AsyncGenerator<WatchEvent<T>, void, undefined> {
  if (signal) addAbortSignal(signal, body)
  const silent = () =>
    body.destroy(
      new KubeError({ kind: 'transport', message: `${name} was silent for ${idleMs} ms` }),
    )
  const watchdog = setTimeout(silent, idleMs)
  try {
    for await (const line of lines(body, () => watchdog.refresh())) {
      yield parseEvent(line, name, read)
    }
  } catch (error) {
    signal?.throwIfAborted()
    if (error instanceof KubeError) throw error
    throw new KubeError({ kind: 'transport', message: `${name} broke`, cause: error })
  } finally {
    clearTimeout(watchdog)
    body.destroy()
  }
}

async function* lines(body: Readable, onBytes: () => void): AsyncGenerator<string> {
  body.setEncoding('utf8')
  let unfinished = ''
  for await (const chunk of body as AsyncIterable<string>) {
    onBytes()
    const parts = chunk.split('\n')
    for (const part of parts.slice(0, -1)) {
      const line = unfinished + part
      unfinished = ''
      if (line.trim() !== '') yield line
    }
    unfinished += parts.at(-1) ?? ''
    if (unfinished.length > MAX_LINE_LENGTH) throw new RangeError('a line exceeds 16 MiB')
  }
}

function parseEvent<T extends KubeObject>(
  line: string,
  name: string,
  read: WatchStreamOptions<T>['read'],
): WatchEvent<T> {
  const event = parse(line, name)
  if (event.type === 'ERROR') throw errorOfStatus(event.object, name)
  if (!eventTypes.includes(event.type) || !isObject(event.object)) throw unreadable(name)
  const { type, object } = event as WatchEvent<T>
  return { type, object: type === 'BOOKMARK' ? object : read(object) }
}

function parse(line: string, name: string): { readonly type?: unknown; readonly object?: unknown } {
  try {
    const event: unknown = JSON.parse(line)
    if (typeof event === 'object' && event !== null) return event
  } catch (error) {
    throw unreadable(name, error)
  }
  throw unreadable(name)
}

const isObject = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  'metadata' in value &&
  typeof value.metadata === 'object'

const unreadable = (name: string, cause?: unknown): KubeError =>
  new KubeError({ kind: 'transport', message: `${name} sent an unreadable line`, cause })
