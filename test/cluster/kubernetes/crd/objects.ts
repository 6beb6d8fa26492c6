import { crdFiles } from '../../../../src/kubernetes/crd/definitions/crd-files.ts'
import {
  API_VERSION,
  GROUP,
  type KindName,
  kinds,
} from '../../../../src/kubernetes/crd/names/group.ts'
import type { Json, Manifest } from '../../../support/api/manifests.ts'
import type { Cluster } from '../../support/cluster.ts'
import type { Answer } from '../../support/kube-request.ts'

const ESTABLISHED_WITHIN = '60s'

/** Applies both definitions; harmless when they exist. */
export async function installDefinitions({ kubectl }: Cluster): Promise<void> {
  const input = Object.values(crdFiles()).join('---\n')
  await kubectl(['apply', '--server-side', '--force-conflicts', '-f', '-'], { input })
  const names = Object.values(kinds).map(({ plural }) => `crd/${plural}.${GROUP}`)
  await kubectl([
    'wait',
    '--for=condition=Established',
    `--timeout=${ESTABLISHED_WITHIN}`,
    ...names,
  ])
}

/** Facilitators and ChannelPools of one namespace. Returns refusals of the API server like other answers. */
export function objectsIn({ request }: Cluster, namespace: string) {
  const collection = (kind: KindName) =>
    `/apis/${API_VERSION}/namespaces/${namespace}/${kinds[kind].plural}`
  const path = ({ kind, metadata }: Named) => `${collection(kind)}/${metadata.name}`
  const merge = (target: string, body: Json, query: string) =>
    request('PATCH', `${target}?fieldValidation=Strict${query}`, {
      body,
      contentType: 'application/merge-patch+json',
    })
  return {
    /** Dry run of a creation. */
    tryCreate: (object: Manifest): Promise<Answer> =>
      request('POST', `${collection(object.kind)}?fieldValidation=Strict&dryRun=All`, {
        body: { ...object },
      }),
    create: async (object: Manifest): Promise<Json> => {
      const { status, ...spec } = object
      const made = await request('POST', `${collection(object.kind)}?fieldValidation=Strict`, {
        body: spec,
      })
      if (made.status !== 201) throw new Error(`it was not created: ${made.text}`)
      if (status === undefined) return made.body
      const written = await merge(`${path(object)}/status`, { status }, '')
      if (written.status !== 200) throw new Error(`its status was not written: ${written.text}`)
      return written.body
    },
    /** Dry run of a replacement. */
    tryReplace: async (object: Manifest): Promise<Answer> => {
      const present = await request('GET', path(object))
      const { resourceVersion } = Object(present.body['metadata'])
      return request('PUT', `${path(object)}?fieldValidation=Strict&dryRun=All`, {
        body: { ...object, metadata: { ...object.metadata, resourceVersion } },
      })
    },
    get: (object: Named): Promise<Answer> => request('GET', path(object)),
    patch: (object: Named, body: Json): Promise<Answer> => merge(path(object), body, ''),
    patchStatus: (object: Named, status: Json): Promise<Answer> =>
      merge(`${path(object)}/status`, { status }, ''),
  }
}

type Named = Pick<Manifest, 'kind' | 'metadata'>

/** Message of the API server about a refused write. */
export const wordsOf = ({ body }: Answer): string => String(body['message'])
