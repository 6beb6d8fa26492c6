import { request } from 'node:https'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { KubeConfig } from '@kubernetes/client-node'
import type { RealCluster } from '../../support/node.ts'

export interface Watched {
  readonly metadata: {
    readonly name: string
    readonly namespace: string
    readonly generation?: number
    readonly resourceVersion?: string
  }
  readonly [member: string]: unknown
}

interface WatchLine {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR'
  readonly object: Watched
}

const RETRY_MS = 500

/**
 * Takes every version of the objects of a list that the API server reports, also of a version that lasted for a moment
 * only: a client that asks again and again would miss it.
 * @param list the path of the list
 * @returns resolves when the objects of now were taken
 */
export async function watchList(
  cluster: RealCluster,
  list: string,
  take: (object: Watched, isDeleted: boolean) => void,
): Promise<AsyncDisposable> {
  const stop = new AbortController()
  const { body } = await cluster.request('GET', list)
  for (const object of body['items'] as Watched[]) take(object, false)
  let version = String(Object(body['metadata']).resourceVersion)
  const read = async () => {
    while (!stop.signal.aborted) {
      const path = `${list}?watch=true&allowWatchBookmarks=true&resourceVersion=${version}`
      for await (const { type, object } of linesOf(cluster, path, stop.signal)) {
        // The changes since then are lost, so what they would show is unknown.
        if (type === 'ERROR') throw new Error(`the watch of ${list}: ${JSON.stringify(object)}`)
        version = object.metadata.resourceVersion ?? version
        if (type !== 'BOOKMARK') take(object, type === 'DELETED')
      }
      await sleep(RETRY_MS)
    }
  }
  const reading = read()
  reading.catch(() => undefined)
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await reading
    },
  }
}

/** Until the API server ends the answer, or the signal does. */
async function* linesOf(
  cluster: RealCluster,
  path: string,
  signal: AbortSignal,
): AsyncGenerator<WatchLine> {
  const config = new KubeConfig()
  config.loadFromFile(cluster.kubeconfigPath)
  const options = {}
  await config.applyToHTTPSOptions(options)
  const response = new Promise<NodeJS.ReadableStream>((resolve, reject) => {
    request(`${cluster.server}${path}`, { ...options, signal }, resolve)
      .once('error', reject)
      .end()
  })
  try {
    for await (const line of createInterface({ input: await response })) yield JSON.parse(line)
  } catch (error) {
    if (!signal.aborted && Object(error).code !== 'ECONNRESET') throw error
  }
}
