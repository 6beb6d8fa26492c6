import { BlockList } from 'node:net'
import {
  type LabelSelector,
  matches,
  type NetworkPolicy,
  type Pod,
  type PolicyPeer,
  type PolicyPort,
} from './objects.ts'

/** A pod of the pod network with the address that it has. */
export interface PlacedPod {
  readonly pod: Pod
  readonly address: string
}

export interface ClusterState {
  readonly policies: readonly NetworkPolicy[]
  readonly pods: readonly PlacedPod[]
  /** Labels by namespace. */
  readonly namespaces: ReadonlyMap<string, Readonly<Record<string, string>>>
  /**
   * Addresses that no `ipBlock` matches: the networks of pods and nodes with Cilium, nothing with Calico, Antrea and
   * kube-router.
   */
  readonly outsideOfBlocks?: readonly string[]
}

/** The other end of a connection. */
type Peer =
  | 'any'
  | { readonly pods: readonly string[] }
  | { readonly cidr: string; readonly except: readonly string[] }

type Ports = 'any' | { readonly protocol: string; readonly from: number; readonly to: number }

/** A connection that is permitted: the peer and the port have to match. */
export interface Permission {
  readonly peer: Peer
  readonly ports: Ports
}

/** What the policies permit one pod. Undefined: no policy isolates it in that direction. */
export interface PodRules {
  readonly address: string
  readonly ingress: readonly Permission[] | undefined
  readonly egress: readonly Permission[] | undefined
}

export interface Connection {
  readonly from: string
  readonly to: string
  readonly protocol: string
  readonly port: number
}

/** The rules of every pod, as the API's reference of NetworkPolicy v1 defines them; policies only add permissions. */
export function rulesOf(state: ClusterState): readonly PodRules[] {
  return state.pods.map((placed) => {
    const { namespace } = placed.pod.metadata
    const selecting = state.policies.filter(
      ({ metadata, spec }) =>
        metadata.namespace === namespace &&
        matches(spec.podSelector ?? {}, placed.pod.metadata.labels),
    )
    return {
      address: placed.address,
      ingress: permissions(selecting, 'Ingress', state, placed),
      egress: permissions(selecting, 'Egress', state, placed),
    }
  })
}

/** Whether the connection is made. A node's own connections to its pods are not asked about: every plugin permits them. */
export function permits(rules: readonly PodRules[], connection: Connection): boolean {
  const { from, to } = connection
  if (from === to) return true
  const egress = rules.find(({ address }) => address === from)?.egress
  const ingress = rules.find(({ address }) => address === to)?.ingress
  return permitsPeer(egress, to, connection) && permitsPeer(ingress, from, connection)
}

function permitsPeer(
  permissions: readonly Permission[] | undefined,
  address: string,
  { protocol, port }: Connection,
): boolean {
  if (permissions === undefined) return true
  return permissions.some(
    ({ peer, ports }) =>
      matchesPeer(peer, address) &&
      (ports === 'any' || (ports.protocol === protocol && ports.from <= port && port <= ports.to)),
  )
}

function matchesPeer(peer: Peer, address: string): boolean {
  if (peer === 'any') return true
  if ('pods' in peer) return peer.pods.includes(address)
  return contains([peer.cidr], address) && !contains(peer.except, address)
}

function contains(blocks: readonly string[], address: string): boolean {
  const list = new BlockList()
  for (const block of blocks) {
    const [network = '', bits] = block.split('/')
    list.addSubnet(network, Number(bits), 'ipv4')
  }
  return list.check(address)
}

type Direction = 'Ingress' | 'Egress'

/** Without `policyTypes` a policy is for Ingress, and for Egress if it has such rules. */
function typesOf({ spec }: NetworkPolicy): readonly string[] {
  return spec.policyTypes ?? ['Ingress', ...(spec.egress === undefined ? [] : ['Egress'])]
}

function permissions(
  policies: readonly NetworkPolicy[],
  direction: Direction,
  state: ClusterState,
  subject: PlacedPod,
): readonly Permission[] | undefined {
  const isolating = policies.filter((policy) => typesOf(policy).includes(direction))
  if (isolating.length === 0) return undefined
  return isolating.flatMap((policy) => {
    const namespace = policy.metadata.namespace ?? ''
    return rulesIn(policy, direction).flatMap(({ peers, ports }) => {
      const ends = (peers.length === 0 ? [undefined] : peers).flatMap((peer) =>
        endOf(peer, namespace, state),
      )
      return ends.flatMap((end) => withPorts(end, ports, direction, state, subject))
    })
  })
}

function rulesIn({ spec }: NetworkPolicy, direction: Direction) {
  return direction === 'Ingress'
    ? (spec.ingress ?? []).map(({ from = [], ports = [] }) => ({ peers: from, ports }))
    : (spec.egress ?? []).map(({ to = [], ports = [] }) => ({ peers: to, ports }))
}

/** Nothing for blocks of IPv6: the pods here have IPv4. */
function endOf(
  peer: PolicyPeer | undefined,
  namespace: string,
  state: ClusterState,
): readonly Peer[] {
  if (peer === undefined) return ['any']
  const { ipBlock, namespaceSelector, podSelector } = peer
  if (ipBlock) {
    if (ipBlock.cidr.includes(':')) return []
    const except = [...(ipBlock.except ?? []), ...(state.outsideOfBlocks ?? [])]
    return [{ cidr: ipBlock.cidr, except }]
  }
  const isInNamespace = (name: string) =>
    namespaceSelector ? matches(namespaceSelector, state.namespaces.get(name)) : name === namespace
  return [{ pods: addressesOf(state, podSelector ?? {}, isInNamespace) }]
}

const addressesOf = (
  { pods }: ClusterState,
  selector: LabelSelector,
  isInNamespace: (name: string) => boolean,
): readonly string[] =>
  pods
    .filter(
      ({ pod: { metadata } }) =>
        isInNamespace(metadata.namespace ?? '') && matches(selector, metadata.labels),
    )
    .map(({ address }) => address)

function withPorts(
  peer: Peer,
  ports: readonly PolicyPort[],
  direction: Direction,
  state: ClusterState,
  subject: PlacedPod,
): readonly Permission[] {
  if (ports.length === 0) return [{ peer, ports: 'any' }]
  return ports.flatMap((entry) => {
    const { protocol = 'TCP', port, endPort } = entry
    if (port === undefined) return [{ peer, ports: { protocol, from: 0, to: 65_535 } }]
    if (typeof port === 'number') {
      return [{ peer, ports: { protocol, from: port, to: endPort ?? port } }]
    }
    // A name is a port of the pod that accepts the connection.
    const targets =
      direction === 'Ingress' ? [subject] : state.pods.filter((each) => mayBe(peer, each.address))
    return targets.flatMap(({ pod, address }) =>
      numbersOf(pod, port, protocol).map((number) => ({
        peer: direction === 'Ingress' ? peer : { pods: [address] },
        ports: { protocol, from: number, to: number },
      })),
    )
  })
}

/** Names belong to pods: no address that a block matches has ports with names. */
const mayBe = (peer: Peer, address: string) =>
  peer === 'any' || ('pods' in peer && peer.pods.includes(address))

const numbersOf = ({ spec }: Pod, name: string, protocol: string): readonly number[] =>
  [...spec.containers, ...(spec.initContainers ?? [])].flatMap(({ ports = [] }) =>
    ports
      .filter((each) => each.name === name && (each.protocol ?? 'TCP') === protocol)
      .map(({ containerPort }) => containerPort),
  )
