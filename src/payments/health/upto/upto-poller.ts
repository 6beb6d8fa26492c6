import { balanceOf, type HeldToken, type UptoFacts } from '../../../diagnosis/facts/facts.ts'
import type { Clock } from '../../../platform/core/time/clock.ts'
import type { Db } from '../../../platform/database/schema.ts'
import { readTokenBalance } from '../../../stellar/contracts/token-balance.ts'
import type { AccountState } from '../../../stellar/rpc/rpc.ts'
import type { ServedNetwork } from '../../engine/network/served-network.ts'
import type { UptoOptions } from '../../schemes/upto/options.ts'
import { type KeeperState, readKeeperState } from '../../store/upto/keeper-state.ts'
import { lastOf, PolledValue } from '../network/polled-value.ts'

interface UptoPollerOptions {
  readonly network: Pick<ServedNetwork, 'id' | 'rpc' | 'policy'>
  readonly upto: UptoOptions
  readonly db: Db
  readonly clock: Clock
  readonly withinMs: number
  readonly onError: (error: unknown) => void
}

/** Reads what `/health` reports of the scheme `upto` on one network, except for the TTLs of its contract. */
export class UptoPoller {
  readonly #upto: UptoOptions
  readonly #accounts: PolledValue<ReadonlyMap<string, AccountState>>
  readonly #tokens: PolledValue<readonly HeldToken[]>
  readonly #keeper: PolledValue<KeeperState | undefined>

  constructor({ network, upto, db, clock, withinMs, onError }: UptoPollerOptions) {
    const { id, rpc, policy } = network
    const addresses = upto.authorities.map(({ address }) => address)
    const polled = <T>(read: (signal: AbortSignal) => Promise<T>) =>
      new PolledValue({ read, clock, withinMs, onError })
    this.#upto = upto
    this.#accounts = polled((signal) => rpc.accounts(addresses, signal))
    this.#tokens = polled(async () => {
      const read = [...policy.assets.values()].map(async ({ contract, symbol }) => {
        const { amount } = await readTokenBalance(rpc, contract, upto.authorities[0].address)
        return { contract, symbol, balance: amount }
      })
      return (await Promise.all(read)).filter(({ balance }) => balance > 0n)
    })
    this.#keeper = polled(() => readKeeperState(db, id, upto.contract))
  }

  /** Reads everything once; each value fails alone. */
  async refresh(stop: AbortSignal): Promise<void> {
    const values: PolledValue<unknown>[] = [this.#accounts, this.#tokens, this.#keeper]
    await Promise.all(values.map((value) => value.refresh(stop)))
  }

  /** The facts from the values read last. */
  get facts(): Omit<UptoFacts, 'ttl'> {
    const { contract, authorities, keeper } = this.#upto
    const [own, ...earlier] = authorities
    const accounts = this.#accounts.latest?.value
    return {
      contract,
      authority: {
        address: own.address,
        account: {
          value: accounts && balanceOf(accounts.get(own.address)),
          misses: this.#accounts.misses,
        },
        tokens: lastOf(this.#tokens),
      },
      missingEarlier: accounts
        ? earlier.map(({ address }) => address).filter((address) => !accounts.has(address))
        : [],
      keeper: {
        enabled: keeper.enabled,
        autoRestore: keeper.autoRestore,
        state: lastOf(this.#keeper),
      },
    }
  }
}
