import type { KubeObject, ResourceType } from './resource.ts'

/**
 * The kind with metadata alone: reads and watches with it get no spec, data or status (`meta.k8s.io/v1`
 * PartialObjectMetadata), so they neither transfer nor hold what the objects contain.
 */
export const metadataOf = (type: ResourceType): ResourceType => ({
  group: type.group,
  version: type.version,
  plural: type.plural,
  kind: type.kind,
  namespaced: type.namespaced,
  content: 'metadata',
})

/**
 * A `transform` for a cache that only detects changes: keeps what identifies an object and its version. Annotations must
 * go: that of `kubectl apply` contains the whole object, the values of a Secret too.
 */
export function identityOf({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion } = metadata
  const where = namespace === undefined ? {} : { namespace }
  return { apiVersion, kind, metadata: { name, ...where, uid, resourceVersion } }
}
