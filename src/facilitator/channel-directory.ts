import type { NetworkId } from '../core/caip2.ts'
import type { Signer } from '../stellar/signer.ts'
import { listChannels } from '../store/channels/channel.ts'
import type { Store } from '../store/open.ts'

export interface ChannelDirectoryOptions {
  readonly network: NetworkId
  readonly sponsor: string
  readonly store: Store
  /** The key of one channel, derived from the sponsor's seed. */
  readonly derive: (index: number) => Signer
}

/**
 * The accounts this service signs for on one network, as read from the store. They are read again with
 * every poll, since other replicas and the administrator create and retire channels.
 */
export class ChannelDirectory {
  readonly #options: ChannelDirectoryOptions
  readonly #signers = new Map<number, Signer>()
  #addresses: readonly string[] = []
  #active: readonly number[] = []
  #own: ReadonlySet<string>

  constructor(options: ChannelDirectoryOptions) {
    this.#options = options
    this.#own = new Set([options.sponsor])
  }

  async refresh(): Promise<void> {
    const { network, sponsor, store } = this.#options
    const channels = await listChannels(store.db, network)
    this.#own = new Set([
      sponsor,
      ...channels.flatMap((channel) => [channel.account, channel.sponsor]),
    ])
    const ours = channels.filter((channel) => channel.sponsor === sponsor)
    this.#addresses = ours.filter(({ state }) => state !== 'retired').map(({ account }) => account)
    this.#active = ours.filter(({ state }) => state === 'active').map(({ index }) => index)
  }

  /**
   * The index below which `count` active channels of this sponsor have theirs; undefined when there are no more
   * than these.
   */
  indexAfter(count: number): number | undefined {
    return this.#active[count]
  }

  /** Every channel of this sponsor in index order, draining ones included, retired ones not. */
  get addresses(): readonly string[] {
    return this.#addresses
  }

  /** Whether a `G...` address is a sponsor or a channel of this service, retired ones included. */
  isOwn(address: string): boolean {
    return this.#own.has(address)
  }

  signer(index: number): Signer {
    const known = this.#signers.get(index)
    if (known) return known
    const signer = this.#options.derive(index)
    this.#signers.set(index, signer)
    return signer
  }
}
