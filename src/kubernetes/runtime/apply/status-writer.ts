import { canonicalHash, canonicalJson } from '../../../platform/core/text/canonical-json.ts'
import type { OwnWrites } from '../cache/own-writes.ts'
import type { CallOptions } from '../client/api-calls.ts'
import type { KubeClient } from '../client/client.ts'
import { isKubeError } from '../client/kube-error.ts'
import type { KubeObject, ResourceType } from '../objects/resource.ts'
import { WriteMemo } from './write-memo.ts'

interface StatusRequest<T extends KubeObject> extends CallOptions {
  readonly type: ResourceType<T>
  readonly live: T & { readonly status?: unknown }
  /** The whole status: a field that this operator wrote before and that is missing here is removed. */
  readonly status: Readonly<Record<string, unknown>>
}

export interface StatusWriter {
  /**
   * Writes a status that differs from the cached one. True when it wrote. An object that was deleted during the pass gets
   * none, and that is no failure: whoever creates and deletes objects all the time would fill the log and raise an alert.
   * Throws other KubeErrors.
   */
  write<T extends KubeObject>(request: StatusRequest<T>): Promise<boolean>
}

export interface StatusWriterOptions {
  readonly client: Pick<KubeClient, 'applyStatus'>
  /** Records the written objects, for a reconcile that starts before the cache shows them. */
  readonly own?: Pick<OwnWrites, 'note'>
}

export function createStatusWriter({ client, own }: StatusWriterOptions): StatusWriter {
  const memo = new WriteMemo()

  return {
    async write({ type, live, status, ...limits }) {
      const hash = canonicalHash(status)
      if (canonicalJson(status) === canonicalJson(live.status ?? {})) return false
      if (memo.covers(live, hash)) return false
      const { apiVersion, kind } = live
      const { name, namespace, uid } = live.metadata
      const metadata = { name, uid, ...(namespace === undefined ? {} : { namespace }) }
      const body = { apiVersion, kind, metadata, status }
      const written = await client.applyStatus(type, body, limits).catch(unlessGone)
      if (written === undefined) return false
      memo.note(live, hash, written)
      own?.note(written)
      return true
    },
  }
}

function unlessGone(error: unknown): undefined {
  if (!isKubeError(error, 'notFound')) throw error
}
