import {
  type Clock,
  createClient,
  createInformer,
  type Logger,
  openConnection,
} from 'stellar-x402/kube'
import { nftFile } from './nft.ts'
import { namespaceType, podType, policyType } from './objects.ts'
import { type ClusterState, type PlacedPod, rulesOf } from './rules.ts'

export interface EnforcerOptions {
  readonly kubeconfig: string
  /** Of all nodes, as 10.244.0.0/16. */
  readonly podNetwork: string
  /** See `ClusterState`. */
  readonly outsideOfBlocks?: readonly string[]
  /** Replaces the rules in the kernel. */
  readonly load: (file: string) => Promise<void>
  readonly clock: Clock
  readonly random: () => number
  readonly logger: Logger
}

/** What the rules in the kernel were made of. */
export interface Applied {
  /** Addresses by namespace/name. */
  readonly pods: Readonly<Record<string, string>>
  /** Resource versions by namespace/name. */
  readonly policies: Readonly<Record<string, string>>
  /** Resource versions by name. */
  readonly namespaces: Readonly<Record<string, string>>
  readonly blocksMatchPods: boolean
}

/** An address that the network plugin has given to a pod. */
export interface PodAddress {
  readonly namespace: string
  readonly name: string
  readonly containerId: string
  readonly address: string
}

interface Waiter {
  readonly isMet: (applied: Applied) => boolean
  readonly resolve: () => void
}

/**
 * Keeps the rules of the kernel equal to the NetworkPolicies of the cluster. A pod's address comes from the network plugin,
 * which waits for the rules before the pod starts, or from its status. A failure to load the rules rejects `run`: the
 * rules stay as they are, and new pods do not start.
 */
export class PolicyEnforcer {
  readonly #options: EnforcerOptions
  readonly #given = new Map<string, PodAddress>()
  readonly #informers
  #outsideOfBlocks: readonly string[]
  #applied: Applied | undefined
  #waiters: readonly Waiter[] = []
  #changed = Promise.withResolvers<void>()

  constructor(options: EnforcerOptions) {
    this.#options = options
    this.#outsideOfBlocks = options.outsideOfBlocks ?? []
    const { clock, kubeconfig } = options
    const client = createClient({
      connection: openConnection({ clock, kubeconfig }),
      clock,
      fieldManager: 'policy-enforcer',
      userAgent: 'policy-enforcer',
    })
    const common = { ...options, client }
    this.#informers = {
      pods: createInformer({ ...common, type: podType }),
      namespaces: createInformer({ ...common, type: namespaceType }),
      policies: createInformer({ ...common, type: policyType }),
    }
    for (const informer of Object.values(this.#informers)) {
      informer.onChange(() => this.#changed.resolve())
    }
  }

  get applied(): Applied | undefined {
    return this.#applied
  }

  async run(signal: AbortSignal): Promise<void> {
    const informers = Object.values(this.#informers)
    for (const informer of informers) void informer.run(signal)
    await Promise.all(informers.map(({ synced }) => synced))
    while (!signal.aborted) {
      this.#changed = Promise.withResolvers()
      signal.addEventListener('abort', () => this.#changed.resolve(), { once: true })
      await this.#replaceRules()
      await this.#changed.promise
    }
  }

  /** Resolves when the rules hold this address for the pod. */
  async place(address: PodAddress): Promise<void> {
    this.#given.set(address.containerId, address)
    this.#changed.resolve()
    const key = `${address.namespace}/${address.name}`
    await this.#reached(({ pods }) => pods[key] === address.address)
  }

  async remove(containerId: string): Promise<void> {
    if (this.#given.delete(containerId)) this.#changed.resolve()
  }

  /** Resolves when `ipBlock` leaves these addresses out in the rules. */
  async leaveOut(outsideOfBlocks: readonly string[]): Promise<void> {
    this.#outsideOfBlocks = outsideOfBlocks
    this.#changed.resolve()
    await this.#reached((applied) => applied.blocksMatchPods === (outsideOfBlocks.length === 0))
  }

  #reached(isMet: Waiter['isMet']): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#waiters = [...this.#waiters, { isMet, resolve }]
    return promise
  }

  async #replaceRules(): Promise<void> {
    const { podNetwork, load } = this.#options
    const state = this.#state()
    await load(nftFile(rulesOf(state), { podNetwork }))
    const applied: Applied = {
      pods: Object.fromEntries(
        state.pods.map(({ pod: { metadata }, address }) => [
          `${metadata.namespace}/${metadata.name}`,
          address,
        ]),
      ),
      policies: Object.fromEntries(
        state.policies.map(({ metadata }) => [
          `${metadata.namespace}/${metadata.name}`,
          metadata.resourceVersion,
        ]),
      ),
      namespaces: Object.fromEntries(
        [...this.#informers.namespaces.store.values()].map(({ metadata }) => [
          metadata.name,
          metadata.resourceVersion,
        ]),
      ),
      blocksMatchPods: state.outsideOfBlocks?.length === 0,
    }
    this.#applied = applied
    const met = this.#waiters.filter(({ isMet }) => isMet(applied))
    this.#waiters = this.#waiters.filter((waiter) => !met.includes(waiter))
    for (const { resolve } of met) resolve()
  }

  #state(): ClusterState {
    const { pods, namespaces, policies } = this.#informers
    const given = new Map(
      [...this.#given.values()].map((each) => [`${each.namespace}/${each.name}`, each.address]),
    )
    const placed = [...pods.store.values()].flatMap((pod): PlacedPod[] => {
      const { metadata, spec, status } = pod
      if (spec.hostNetwork === true) return []
      const hasEnded = status?.phase === 'Succeeded' || status?.phase === 'Failed'
      const address =
        given.get(`${metadata.namespace}/${metadata.name}`) ??
        (hasEnded ? undefined : status?.podIP)
      return address === undefined ? [] : [{ pod, address }]
    })
    return {
      policies: [...policies.store.values()],
      // An address that the network plugin has given again belongs to the pod that it was given to last.
      pods: [...new Map(placed.map((each) => [each.address, each])).values()],
      namespaces: new Map(
        [...namespaces.store.values()].map(({ metadata }) => [
          metadata.name,
          metadata.labels ?? {},
        ]),
      ),
      outsideOfBlocks: this.#outsideOfBlocks,
    }
  }
}
