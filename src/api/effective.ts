import type { ChannelPool, StoredChannelPool } from './channel-pool.ts'
import type {
  FacilitatorSpec,
  PodTemplate,
  SecretKey,
  SpreadConstraint,
  StoredChannelPoolSpec,
  StoredFacilitatorSpec,
} from './effective-spec.ts'
import type { Facilitator, StoredFacilitator } from './facilitator.ts'

/*
 * An object as the operator reads it. The API server stores earlier names and present ones, because a field that a
 * definition no longer has would be pruned from stored objects. Here the present name wins, and the defaults of
 * present names are filled in: the definition has none, because a default that the API server fills in belongs to no
 * field manager, and stays when a manifest moves to the present name.
 */

/** Of a Facilitator. What is in present names already stays as it is. */
export function effectiveFacilitator<T extends Pick<StoredFacilitator, 'spec'>>(
  stored: T,
): Omit<T, 'spec'> & Pick<Facilitator, 'spec'> {
  return { ...stored, spec: facilitatorSpecOf(stored.spec) }
}

/** Of a ChannelPool. */
export function effectiveChannelPool<T extends Pick<StoredChannelPool, 'spec'>>(
  stored: T,
): Omit<T, 'spec'> & Pick<ChannelPool, 'spec'> {
  const { database: present, databaseSecretRef, rotation, ...spec } = stored.spec
  return {
    ...stored,
    spec: {
      ...spec,
      database: databaseOf({ database: present, databaseSecretRef }),
      rotation: { mode: rotation?.mode ?? 'Planned', sweep: rotation?.sweep ?? 'Merge' },
    },
  }
}

function facilitatorSpecOf(stored: StoredFacilitatorSpec): FacilitatorSpec {
  const { databaseSecretRef, pods, autoscale, route, explorer, ...spec } = stored
  return {
    ...spec,
    database: {
      ...databaseOf(stored),
      ...optionalKey('directSecretRef', stored.database?.directSecretRef, 'url'),
    },
    podTemplate: podTemplateOf(stored),
    ...(autoscale && { autoscale: autoscaleOf(autoscale) }),
    networks: stored.networks.map(networkOf),
    ...(route && { route: routeOf(route) }),
    networkPolicy: networkPolicyOf(stored.networkPolicy),
    explorer: explorerOf(explorer),
    service: { ...stored.service, type: stored.service?.type ?? 'ClusterIP' },
    podDisruptionBudget: budgetOf(stored.podDisruptionBudget),
  }
}

/** The name of a Secret with its key. */
const withKey = (
  { name, key }: { readonly name: string; readonly key?: string | undefined },
  byDefault: string,
): SecretKey => ({ name, key: key ?? byDefault })

const optionalKey = <Name extends string>(
  field: Name,
  ref: Parameters<typeof withKey>[0] | undefined,
  byDefault: string,
): { readonly [Member in Name]?: SecretKey } =>
  (ref ? { [field]: withKey(ref, byDefault) } : {}) as { readonly [Member in Name]?: SecretKey }

/** Throws a TypeError for an object without a database, which the definition refuses. */
function databaseOf({
  database,
  databaseSecretRef,
}: Pick<StoredChannelPoolSpec, 'database' | 'databaseSecretRef'>) {
  const ref = database?.secretRef ?? databaseSecretRef
  if (!ref) throw new TypeError('the spec has neither database nor databaseSecretRef')
  return {
    secretRef: withKey(ref, 'url'),
    ...optionalKey('caSecretRef', database?.caSecretRef, 'ca.crt'),
    ...(database?.poolSize !== undefined && { poolSize: database.poolSize }),
  }
}

const spreadByDefault: readonly SpreadConstraint[] = [
  spread({ topologyKey: 'topology.kubernetes.io/zone' }),
  spread({ topologyKey: 'kubernetes.io/hostname' }),
]

function spread(constraint: { readonly topologyKey: string }): SpreadConstraint {
  return { maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway', ...constraint }
}

/** Beside a podTemplate, `pods` is what an earlier version filled in, or nothing. */
function podTemplateOf({ podTemplate, pods }: StoredFacilitatorSpec): PodTemplate {
  if (podTemplate || !pods) {
    const { metadata = {}, spec = {} } = podTemplate ?? {}
    const { topologySpreadConstraints: constraints, tolerations } = spec
    return {
      metadata,
      spec: {
        ...spec,
        // As `pods` had it: a manifest that changes names must not restart the pods.
        ...(tolerations && {
          tolerations: tolerations.map((each) => ({ operator: 'Equal', ...each })),
        }),
        topologySpreadConstraints: constraints?.map(spread) ?? spreadByDefault,
      },
    }
  }
  const { labels, annotations, topologySpread, ...spec } = pods
  return {
    metadata: { ...(labels && { labels }), ...(annotations && { annotations }) },
    spec: { ...spec, topologySpreadConstraints: topologySpread?.map(spread) ?? spreadByDefault },
  }
}

const MIN_REPLICAS = 2

function autoscaleOf({
  min,
  max,
  minReplicas,
  maxReplicas,
  ...rest
}: NonNullable<StoredFacilitatorSpec['autoscale']>): NonNullable<FacilitatorSpec['autoscale']> {
  // With a present name, `min` may be what an earlier version filled in.
  const [least, most] = maxReplicas === undefined ? [min, max] : [minReplicas, maxReplicas]
  if (most === undefined) throw new TypeError('the autoscale has neither maxReplicas nor max')
  return { ...rest, minReplicas: least ?? Math.min(MIN_REPLICAS, most), maxReplicas: most }
}

function networkOf({
  requireApiKey,
  ...network
}: StoredFacilitatorSpec['networks'][number]): FacilitatorSpec['networks'][number] {
  if (network.access !== undefined || requireApiKey === undefined) return network
  return { ...network, access: requireApiKey ? 'ApiKeys' : 'Everyone' }
}

function routeOf({
  host,
  gatewayRef,
  ...route
}: NonNullable<StoredFacilitatorSpec['route']>): NonNullable<FacilitatorSpec['route']> {
  const hosts = route.hosts ?? (host === undefined ? undefined : [host])
  if (!hosts) throw new TypeError('the route has neither hosts nor host')
  const parentRefs = route.parentRefs ?? (gatewayRef && [gatewayRef])
  return { ...route, hosts, ...(parentRefs && { parentRefs }) }
}

const namespacesWith = (matchLabels: Readonly<Record<string, string>>) => [
  { namespaceSelector: { matchLabels } },
]

function networkPolicyOf({
  clientNamespaces,
  monitoringNamespaces,
  ...policy
}: StoredFacilitatorSpec['networkPolicy']): FacilitatorSpec['networkPolicy'] {
  const clients = policy.clients ?? (clientNamespaces && namespacesWith(clientNamespaces))
  const monitoring =
    policy.monitoring ?? (monitoringNamespaces && namespacesWith(monitoringNamespaces))
  return { ...policy, ...(clients && { clients }), ...(monitoring && { monitoring }) }
}

function explorerOf({
  databaseReplicaSecretRef,
  ...explorer
}: StoredFacilitatorSpec['explorer']): FacilitatorSpec['explorer'] {
  return {
    ...explorer,
    ...optionalKey('databaseReplicaSecretRef', databaseReplicaSecretRef, 'url'),
  }
}

function budgetOf(
  budget: StoredFacilitatorSpec['podDisruptionBudget'],
): FacilitatorSpec['podDisruptionBudget'] {
  const isSet = budget?.minAvailable !== undefined || budget?.maxUnavailable !== undefined
  return {
    unhealthyPodEvictionPolicy: 'AlwaysAllow',
    ...(!isSet && { maxUnavailable: 1 }),
    ...budget,
  } as FacilitatorSpec['podDisruptionBudget']
}
