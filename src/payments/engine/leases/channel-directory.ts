import type { NetworkId } from '../../../platform/core/caip2.ts'
import type { Store } from '../../../platform/database/open.ts'
import type { Signer } from '../../../stellar/accounts/signer.ts'
import { type Channel, listChannels } from '../../store/channels/channel.ts'
import { listAuthorities } from '../../store/upto/authorities.ts'
import type { ChannelPresence } from './channel-presence.ts'

export interface ChannelDirectoryOptions {
  readonly network: NetworkId
  readonly sponsor: string
  /** Own accounts besides, which count before the store is read: settlement authorities, an earlier sponsor. */
  readonly ownAccounts: readonly string[]
  readonly store: Store
  readonly presence: ChannelPresence
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
  #indexes: readonly number[] = []
  #otherSigners: readonly string[] = []
  #activeAddresses: readonly string[] = []
  #hasBegun = false
  #active: readonly number[] = []
  #own: ReadonlySet<string>

  constructor(options: ChannelDirectoryOptions) {
    this.#options = options
    this.#own = new Set([options.sponsor, ...options.ownAccounts])
  }

  /** Reads the store. */
  async refresh(): Promise<void> {
    const { network, sponsor, ownAccounts, store } = this.#options
    const [channels, authorities] = await Promise.all([
      listChannels(store.db, network),
      listAuthorities(store.db, network),
    ])
    this.#own = new Set([
      sponsor,
      ...ownAccounts,
      ...[...channels, ...authorities].flatMap((own) => [own.account, own.sponsor]),
    ])
    const ours = channels.filter((channel) => channel.sponsor === sponsor)
    const kept = ours.filter((channel) => !isRetired(channel))
    this.#addresses = kept.map(({ account }) => account)
    this.#indexes = kept.map(({ index }) => index)
    const others = channels.filter((channel) => channel.sponsor !== sponsor && !isRetired(channel))
    this.#otherSigners = others.flatMap((channel, index) =>
      channel.sponsor === others[index - 1]?.sponsor
        ? [channel.account]
        : [channel.sponsor, channel.account],
    )
    const active = ours.filter(({ state }) => state === 'active')
    this.#active = active.map(({ index }) => index)
    this.#activeAddresses = active.map(({ account }) => account)
    const isRotated = ours.length === 0 && channels.length > 0 && channels.every(isRetired)
    this.#hasBegun = isRotated || ours.some(hasBeenUsable)
  }

  /** Reads which of them the ledger has. */
  readLedger(signal: AbortSignal): Promise<void> {
    return this.#options.presence.refresh(this.#addresses, signal)
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

  /**
   * Every account that may submit a settlement of this service: the sponsor and its channels by index, then those of other
   * sponsors that share the store and have channels left, in the same order. While a sponsor replaces another, replicas of
   * both settle, and any replica sends again what another one has recorded.
   */
  get signers(): readonly string[] {
    return [this.#options.sponsor, ...this.#addresses, ...this.#otherSigners]
  }

  /** How many of `addresses` are on the ledger, as far as it was read. */
  get onLedger(): number {
    return this.#countOnLedger(this.#addresses)
  }

  /**
   * How many channels settlements can use, now or once they are free. Undefined before the first one is created: then
   * none is lost. Those of an earlier sponsor, all retired, count as lost: after a rotation someone has to create them.
   */
  get usable(): number | undefined {
    return this.#hasBegun ? this.#countOnLedger(this.#activeAddresses) : undefined
  }

  #countOnLedger(addresses: readonly string[]): number {
    const { presence } = this.#options
    return addresses.filter((address) => !presence.isMissing(address)).length
  }

  /** Whether a `G...` address is a sponsor, a channel or a settlement authority of this service, retired ones included. */
  isOwn(address: string): boolean {
    return this.#own.has(address)
  }

  /** The keys of the first `most` of `addresses`, each made when it is asked for. */
  *ownSigners(most: number): Generator<Signer> {
    for (const index of this.#indexes.slice(0, most)) yield this.signer(index)
  }

  signer(index: number): Signer {
    const known = this.#signers.get(index)
    if (known) return known
    const signer = this.#options.derive(index)
    this.#signers.set(index, signer)
    return signer
  }
}

/** The operator stores a channel as `draining`, without more, before it creates the account. */
const hasBeenUsable = ({ state, sequence, lastUsedAt }: Channel): boolean =>
  state !== 'draining' || sequence !== undefined || lastUsedAt !== undefined

const isRetired = ({ state }: Channel): boolean => state === 'retired'
