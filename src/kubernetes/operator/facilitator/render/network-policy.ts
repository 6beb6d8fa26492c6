import { isIP } from 'node:net'
import type { Facilitator } from '../../../crd/facilitator.ts'
import { labels } from '../../../crd/names/marks.ts'
import { ports } from '../../../crd/names/pods.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import { rpcEndpoints } from '../../references/pool-rpc.ts'
import { sponsorInUse } from '../../references/rotation-state.ts'
import type { DesiredFacilitator } from '../desired/desired.ts'
import { labelsOf, MIGRATION, metadataOf, PREFLIGHT, selectorOf } from '../spec/child-metadata.ts'
import { type PartName, partsOf } from '../spec/parts.ts'
import { secretId } from '../spec/secret-files.ts'

type Rule = Readonly<Record<string, unknown>>

const HTTPS = 443
const DNS = 53
const POSTGRES = 5_432

/** Every address, except the metadata services of clouds (they hold credentials). */
const everyAddress = [
  { ipBlock: { cidr: '0.0.0.0/0', except: ['169.254.0.0/16'] } },
  { ipBlock: { cidr: '::/0', except: ['fd00:ec2::254/128', 'fe80::/10'] } },
]

const everyPod = [{ namespaceSelector: {} }]

/**
 * Pods of the cluster, at any port: most network plugins judge the port of the pod behind a Service, which the URL does
 * not name, and OpenShift's DNS pods listen at 5353. Addresses do not match pods with every plugin (Cilium).
 */
const cluster: Rule = { to: everyPod }

/** Sellers and announced facilitators are asked at addresses that strangers chose: only public ones, and none of the cluster. */
const strangers: Rule = {
  to: [
    {
      ipBlock: {
        cidr: '0.0.0.0/0',
        except: [
          '0.0.0.0/8',
          '10.0.0.0/8',
          '100.64.0.0/10',
          '127.0.0.0/8',
          '169.254.0.0/16',
          '172.16.0.0/12',
          '192.168.0.0/16',
          '198.18.0.0/15',
          '224.0.0.0/3',
        ],
      },
    },
    // Global unicast; the translation prefixes 64:ff9b::/96 and 64:ff9b:1::/48 are outside.
    { ipBlock: { cidr: '2000::/3', except: ['2002::/16'] } },
  ],
  ports: [{ protocol: 'TCP', port: 1, endPort: 65_535 }],
}

const tcp = (port: number) => ({ protocol: 'TCP', port })
const dns: Rule = { ports: [{ protocol: 'UDP', port: DNS }, tcp(DNS)] }
/** A rule without ports would let every port through. */
const egressTo = (...numbers: readonly number[]): readonly Rule[] => {
  const ports = [...new Set(numbers)].sort((one, other) => one - other).map(tcp)
  return ports.length === 0 ? [] : [{ to: everyAddress, ports }]
}

const asksStrangers: ReadonlySet<PartName> = new Set(['Catalog', 'Explorer'])

/** A default-deny policy for all pods, and one with the needed flows for each part. */
export function networkPolicies(desired: DesiredFacilitator): readonly DesiredObject[] {
  const { facilitator } = desired
  if (facilitator.spec.networkPolicy.mode === 'Never') return []
  const { extraEgress = [] } = facilitator.spec.networkPolicy
  const store = egressTo(...databasePorts(desired))
  return [
    policy(facilitator, undefined, { ingress: [], egress: [] }),
    policy(facilitator, MIGRATION, {
      ingress: [],
      egress: [dns, cluster, ...store, ...extraEgress],
    }),
    ...partsOf(facilitator).map(({ name, component }) =>
      policy(facilitator, component, {
        ingress: ingressOf(facilitator, name),
        egress: [
          dns,
          cluster,
          ...store,
          ...egressTo(...externalPorts[name](desired)),
          ...(name === 'Facilitator' ? signerEgress(desired) : []),
          ...(asksStrangers.has(name) ? [strangers] : []),
          ...extraEgress,
        ],
      }),
    ),
  ]
}

/** The policy for preflight pods: it exists as long as one is needed, which spares each new Facilitator a request. */
export function preflightPolicy(desired: DesiredFacilitator): readonly DesiredObject[] {
  const { facilitator } = desired
  if (facilitator.spec.networkPolicy.mode === 'Never') return []
  const { extraEgress = [] } = facilitator.spec.networkPolicy
  const store = egressTo(...databasePorts(desired))
  const external = egressTo(...externalPorts.Facilitator(desired))
  const egress = [dns, cluster, ...store, ...external, ...signerEgress(desired), ...extraEgress]
  return [policy(facilitator, PREFLIGHT, { ingress: [], egress })]
}

/** Further labels than those of the Service: pods of another chart may have the same name and instance. */
const podsOf = (facilitator: Facilitator, component: string | undefined) => {
  const { [labels.facilitator]: owner = '', [labels.managedBy]: manager = '' } =
    labelsOf(facilitator)
  return {
    ...selectorOf(facilitator, component),
    [labels.managedBy]: manager,
    [labels.facilitator]: owner,
  }
}

const policy = (
  facilitator: Facilitator,
  component: string | undefined,
  { ingress, egress }: { readonly ingress: readonly Rule[]; readonly egress: readonly Rule[] },
): DesiredObject => ({
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: metadataOf(facilitator, { suffix: component ?? 'default-deny', component }),
  spec: {
    podSelector: { matchLabels: podsOf(facilitator, component) },
    policyTypes: ['Ingress', 'Egress'],
    ingress,
    egress,
  },
})

/** Ports that each part connects to anywhere: Stellar RPC, facilitators that the spec names, embeddings. */
const externalPorts: Readonly<
  Record<PartName, (desired: DesiredFacilitator) => readonly number[]>
> = {
  Facilitator: servicePorts,
  Catalog: (desired) => {
    const { embeddings } = desired.facilitator.spec.catalog
    return [...servicePorts(desired), ...(embeddings ? [portOf(embeddings.url)] : [])]
  },
  Explorer: (desired) => [
    ...servicePorts(desired),
    ...desired.facilitator.spec.explorer.registry.map(portOf),
  ],
}

/**
 * What signs for the sponsors: its port, at its address where the URL has one. A policy cannot name a host. A signer in the cluster is
 * among its pods already.
 */
const signerEgress = ({ networks }: DesiredFacilitator): readonly Rule[] =>
  networks.flatMap(({ pool }) => {
    const { vault, http } = sponsorInUse(pool)
    const url = vault?.address ?? http?.url
    if (url === undefined || !URL.canParse(url)) return []
    const host = new URL(url).hostname.replace(/^\[|\]$/g, '')
    const bits = { 0: undefined, 4: 32, 6: 128 }[isIP(host)]
    if (bits === undefined) return egressTo(portOf(url))
    return [{ to: [{ ipBlock: { cidr: `${host}/${bits}` } }], ports: [tcp(portOf(url))] }]
  })

/** The ports of Stellar RPC, of the trace collector, and of proxies. */
function servicePorts({ facilitator, networks, secrets }: DesiredFacilitator): readonly number[] {
  const { tracing } = facilitator.spec
  const rpc = networks.flatMap(({ pool }) => {
    const endpoints = rpcEndpoints(pool, (ref) => secrets.get(secretId(ref)))
    return 'urls' in endpoints ? endpoints.urls.map(portOf) : []
  })
  const services = tracing ? [...rpc, portOf(tracing.endpoint)] : rpc
  return [...services, ...proxyPorts(facilitator)]
}

/** The ports of the proxies that the pod template sets: with proxies, pods connect to no other service outside. */
function proxyPorts({ spec: { podTemplate } }: Facilitator): readonly number[] {
  const { containers } = podTemplate.spec
  return (Array.isArray(containers) ? containers : [])
    .flatMap(({ env }) => (Array.isArray(env) ? env : []))
    .filter(
      ({ name, value }) => /^https?_proxy$/i.test(String(name)) && URL.canParse(String(value)),
    )
    .map(({ value }) => portOf(String(value)))
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  return port === '' ? (protocol === 'https:' ? HTTPS : 80) : Number(port)
}

/** The ports of the database URLs, without URLs that are missing or invalid. */
function databasePorts({ facilitator, secrets }: DesiredFacilitator): readonly number[] {
  const { database, explorer } = facilitator.spec
  const refs = [database.secretRef, database.directSecretRef, explorer.databaseReplicaSecretRef]
  return refs.flatMap((ref) => {
    const url = ref && secrets.get(secretId(ref))
    if (url === undefined || !URL.canParse(url)) return []
    const { port, searchParams } = new URL(url)
    // The driver prefers the parameter.
    return [Number(searchParams.get('port') || port || POSTGRES)]
  })
}

/** Without peers a rule also allows load balancers and nodes, which no selector of pods matches. */
function ingressOf(facilitator: Facilitator, part: PartName): readonly Rule[] {
  const { clients, monitoring = everyPod, extraIngress = [] } = facilitator.spec.networkPolicy
  const from = clients && [...clients, ...askersOf(facilitator, part)]
  return [
    { ...(from && { from }), ports: [tcp(ports.http)] },
    { from: monitoring, ports: [tcp(ports.admin)] },
    ...extraIngress,
  ]
}

/** The pages of the explorer ask the catalog, whatever clients are let through. */
const askersOf = (facilitator: Facilitator, part: PartName): readonly Rule[] =>
  partsOf(facilitator).flatMap(({ name, component }) =>
    part === 'Catalog' && name === 'Explorer'
      ? [{ podSelector: { matchLabels: podsOf(facilitator, component) } }]
      : [],
  )
