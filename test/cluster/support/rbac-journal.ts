/**
 * Compares the requests of the operator with the rights that the chart grants it:
 *
 *   await using proxy = await startApiProxy(cluster.kubeconfigPath)
 *   …everything an operator does, through the proxy…
 *   expect(compareRights(operatorRights(), proxy.calls)).toEqual({ ungranted: [], unused: [] })
 */
import { readFileSync } from 'node:fs'
import { loadAll } from 'js-yaml'
import type { JournalEntry } from './proxy-handler.ts'

/** A rule of RBAC. */
export interface Rule {
  readonly apiGroups: readonly string[]
  readonly resources: readonly string[]
  readonly verbs: readonly string[]
  /** @default every object */
  readonly resourceNames?: readonly string[]
}

export interface Comparison {
  /** Requested and not granted, such as `delete /secrets`. */
  readonly ungranted: readonly string[]
  /** Granted and never requested. */
  readonly unused: readonly string[]
}

export interface CompareOptions {
  /** Part of the user agent of the callers to compare. @default all callers */
  readonly userAgent?: string
  /** Rights that no request needs, in the form of a comparison. */
  readonly implicit?: readonly string[]
}

type Call = Pick<
  JournalEntry,
  'verb' | 'apiGroup' | 'resource' | 'subresource' | 'name' | 'contentType' | 'status' | 'userAgent'
>

interface Right {
  readonly what: string
  readonly names: readonly string[]
}

/** The admission of owner references checks them; no request shows them. */
export const implicitRights: readonly string[] = [
  'update x402.svc.dev/facilitators/finalizers',
  'update x402.svc.dev/channelpools/finalizers',
]

const manifest = new URL('../../../manifests/operator.yaml', import.meta.url)

/** The rights of the operator in `manifests/`, which is rendered from the chart. */
export function operatorRights(): readonly Rule[] {
  const objects = loadAll(readFileSync(manifest, 'utf8')) as {
    kind: string
    metadata: { name: string }
    rules?: readonly Rule[]
  }[]
  const own = ['stellar-x402-operator', 'stellar-x402-leader']
  return objects
    .filter(({ kind, metadata }) => kind.endsWith('Role') && own.includes(metadata.name))
    .flatMap(({ rules = [] }) => rules)
}

/** Both lists in alphabetical order, each right once. Paths without a resource need no right. */
export function compareRights(
  rules: readonly Rule[],
  calls: readonly Call[],
  { userAgent = '', implicit = implicitRights }: CompareOptions = {},
): Comparison {
  const rights = rules.flatMap(rightsOf)
  const needed = calls
    .filter((call) => call.resource !== '' && call.userAgent.includes(userAgent))
    .flatMap(rightsNeededBy)
  const covers = (right: Right, { what, name }: NeededRight) =>
    right.what === what && (right.names.length === 0 || right.names.includes(name))
  return {
    ungranted: sortedOnce(
      needed.filter((need) => !rights.some((right) => covers(right, need))).map(({ what }) => what),
    ),
    unused: sortedOnce(
      rights
        .filter((right) => !needed.some((need) => covers(right, need)))
        .map(({ what }) => what)
        .filter((what) => !implicit.includes(what)),
    ),
  }
}

interface NeededRight {
  readonly what: string
  readonly name: string
}

const sortedOnce = (texts: readonly string[]): readonly string[] => [...new Set(texts)].toSorted()

const rightsOf = ({ apiGroups, resources, verbs, resourceNames = [] }: Rule): readonly Right[] =>
  apiGroups.flatMap((group) =>
    resources.flatMap((resource) =>
      verbs.map((verb) => ({ what: `${verb} ${group}/${resource}`, names: resourceNames })),
    ),
  )

/** An apply that created its object needed the right to create, too. */
function rightsNeededBy(call: Call): readonly NeededRight[] {
  const { verb, apiGroup, resource, subresource, name, contentType, status } = call
  const where = `${apiGroup}/${resource}${subresource === '' ? '' : `/${subresource}`}`
  const isApply = contentType === 'application/apply-patch+yaml'
  const created = isApply && status === 201 ? [{ what: `create ${where}`, name }] : []
  return [{ what: `${verb} ${where}`, name }, ...created]
}
