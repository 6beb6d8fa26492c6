/**
 * Lists in which several managers may each own elements, and the member that tells the elements apart.
 * From the OpenAPI of Kubernetes; every other list belongs to one manager as a whole. `*` stands for one
 * step of the path, of a member or into a list.
 */
const mergedLists: readonly (readonly [path: string, key: string])[] = [
  ['metadata.ownerReferences', 'uid'],
  ['metadata.finalizers', ''],
  ['imagePullSecrets', 'name'],
  ['secrets', 'name'],
  ['spec.ports', 'port'],
  ['status.conditions', 'type'],
  ...['spec', 'spec.template.spec'].flatMap((pod): [string, string][] => [
    ...['containers', 'initContainers'].flatMap((list): [string, string][] => [
      [`${pod}.${list}`, 'name'],
      [`${pod}.${list}.*.env`, 'name'],
      [`${pod}.${list}.*.ports`, 'containerPort'],
      [`${pod}.${list}.*.volumeMounts`, 'mountPath'],
    ]),
    [`${pod}.volumes`, 'name'],
    [`${pod}.imagePullSecrets`, 'name'],
    [`${pod}.topologySpreadConstraints`, 'topologyKey'],
  ]),
]

const keys: ReadonlyMap<string, string> = new Map(mergedLists)

/** The key of a shared list of objects, empty for a shared set of plain values, undefined for any other list. */
export const mergeKeyOf = (path: readonly string[]): string | undefined => keys.get(path.join('.'))
