/**
 * Compares what the operator asked of the API server with what the chart lets it do:
 *
 *   await using proxy = await startApiProxy(cluster.kubeconfigPath)
 *   …everything an operator does, by way of the proxy…
 *   expect(compareRights(operatorRights(), proxy.calls)).toEqual({ ungranted: [], unused: [] })
 */
import { readFileSync } from 'node:fs'
import { loadAll } from 'js-yaml'
import type { JournalEntry } from './api-passage.ts'

/** A rule as RBAC has it. */
export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  /** Absent: every object. */
  readonly resourceNames?: readonly string[]
}

export interface Comparison {
  /** Asked for and not granted, such as `delete /secrets`. */
  readonly ungranted: readonly string[]
  /** Granted and never asked for. */
  readonly unused: readonly string[]
}

export interface CompareOptions {
  /** Part of the user agent of whoever the rights are for; absent: all callers. */
  readonly userAgent?: string
  /** Rights that no journal shows, as they are written in a comparison. */
  readonly unseen?: readonly string[]
}

type Call = Pick<
  JournalEntry,
  'verb' | 'apiGroup' | 'resource' | 'subresource' | 'name' | 'contentType' | 'status' | 'userAgent'
>

interface Right {
  readonly what: string
  readonly names: readonly string[]
}

/** Asked only by the admission of owner references, and not by a request of its own. */
export const unseenRights: readonly string[] = [
  'update x402.svc.dev/facilitators/finalizers',
  'update x402.svc.dev/channelpools/finalizers',
]

const manifest = new URL('../../../manifests/operator.yaml', import.meta.url)

/** What the operator may do by `manifests/`, which is what the chart gives it. */
export function operatorRights(): readonly Rule[] {
  const objects = loadAll(readFileSync(manifest, 'utf8')) as {
    kind: string
    metadata: { name: string }
    rules?: readonly Rule[]
  }[]
  const own = ['x402-stellar-operator', 'x402-stellar-leader']
  return objects
    .filter(({ kind, metadata }) => kind.endsWith('Role') && own.includes(metadata.name))
    .flatMap(({ rules = [] }) => rules)
}

/** Both lists in alphabetical order, each right once. Paths that are no resources are everybody's. */
export function compareRights(
  rules: readonly Rule[],
  calls: readonly Call[],
  { userAgent = '', unseen = unseenRights }: CompareOptions = {},
): Comparison {
  const rights = rules.flatMap(rightsOf)
  const asked = calls
    .filter((call) => call.resource !== '' && call.userAgent.includes(userAgent))
    .flatMap(askedBy)
  const covers = (right: Right, { what, name }: Asked) =>
    right.what === what && (right.names.length === 0 || right.names.includes(name))
  return {
    ungranted: listed(
      asked.filter((ask) => !rights.some((right) => covers(right, ask))).map(({ what }) => what),
    ),
    unused: listed(
      rights
        .filter((right) => !asked.some((ask) => covers(right, ask)))
        .map(({ what }) => what)
        .filter((what) => !unseen.includes(what)),
    ),
  }
}

interface Asked {
  readonly what: string
  readonly name: string
}

const listed = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted()

const rightsOf = ({ apiGroups, resources, verbs, resourceNames = [] }: Rule): readonly Right[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({ what: `${verb} ${group}/${resource}`, names: resourceNames })),
    ),
  )

/** An apply that made its object needed the right to create it as well. */
function askedBy(call: Call): readonly Asked[] {
  const { verb, apiGroup, resource, subresource, name, contentType, status } = call
  const where = `${apiGroup}/${resource}${subresource === '' ? '' : `/${subresource}`}`
  const isApply = contentType === 'application/apply-patch+yaml'
  const made = isApply && status === 201 ? [{ what: `create ${where}`, name }] : []
  return [{ what: `${verb} ${where}`, name }, ...made]
}
