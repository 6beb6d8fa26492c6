import type { CallOptions } from '../client/api-calls.ts'
import type { KubeClient } from '../client/client.ts'
import type { DesiredObject, KubeObject, ResourceType } from '../objects/resource.ts'

export interface FinalizerRequest<T extends KubeObject> extends CallOptions {
  readonly client: Pick<KubeClient, 'apply' | 'patch' | 'fieldManager'>
  readonly type: ResourceType<T>
  readonly live: T
  readonly finalizer: string
}

/**
 * Adds the finalizer under a field manager of its own, so that other finalizers stay as they are. To be
 * called before the first side effect outside the cluster. Throws a KubeError of kind conflict when the
 * object with this uid is gone.
 */
export async function addFinalizer<T extends KubeObject>(request: FinalizerRequest<T>): Promise<T> {
  const { live, finalizer } = request
  return hasFinalizer(live, finalizer) ? live : applyFinalizers(request, [finalizer])
}

/**
 * Removes this finalizer and no other, whichever manager added it. To be called after the clean-up that it
 * waits for. Throws a KubeError of kind conflict when the object changed in between.
 */
export async function removeFinalizer<T extends KubeObject>(
  request: FinalizerRequest<T>,
): Promise<T> {
  const { client, type, live, finalizer, ...limits } = request
  if (!hasFinalizer(live, finalizer)) return live
  const left = await applyFinalizers(request, [])
  if (!hasFinalizer(left, finalizer)) return left
  // Another manager owns it, too: it was in the manifest, or older than the one of this operator.
  const finalizers = left.metadata.finalizers?.filter((other) => other !== finalizer) ?? []
  const { resourceVersion } = left.metadata
  return client.patch(type, live.metadata, { metadata: { resourceVersion, finalizers } }, limits)
}

export const hasFinalizer = ({ metadata }: KubeObject, finalizer: string): boolean =>
  metadata.finalizers?.includes(finalizer) ?? false

async function applyFinalizers<T extends KubeObject>(
  { client, type, live, finalizer: _, ...limits }: FinalizerRequest<T>,
  finalizers: readonly string[],
): Promise<T> {
  const { apiVersion, kind } = live
  const { name, namespace, uid } = live.metadata
  const owned = finalizers.length > 0 ? { finalizers } : {}
  const body: DesiredObject = {
    apiVersion,
    kind,
    metadata: { name, uid, ...(namespace === undefined ? {} : { namespace }), ...owned },
  }
  const fieldManager = `${client.fieldManager}-finalizer`
  return (await client.apply(type, body, { ...limits, fieldManager })).object
}
