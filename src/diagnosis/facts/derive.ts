import type { NetworkId } from '../../platform/core/caip2.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import type { ContractEntries } from '../../stellar/contracts/contract-entries.ts'
import type { ContractTtl } from '../../stellar/contracts/contract-ttl.ts'
import { LedgerClock } from '../../stellar/rpc/ledger-clock.ts'
import type { Endpoint, ReadFacts } from './doctor-facts.ts'
import { silentOf, usable } from './endpoints.ts'
import {
  balanceOf,
  type ChannelCreator,
  type LastRead,
  type NetworkFacts,
  type UptoFacts,
} from './facts.ts'
import type { Fetched } from './fetched.ts'
import type { TermsFacts } from './trial-facts.ts'
import { watchedContracts } from './watched-contracts.ts'

/** The facts that every surface knows, derived from those that a command has read. @param sponsor its address */
export function networkFactsOf(
  network: NetworkConfig,
  sponsor: string,
  read: ReadFacts,
): NetworkFacts {
  const { ledger, stored, contracts } = read
  return {
    id: network.id,
    rpc: rpcOf(read.endpoints, network.id),
    signer: read.signer,
    sponsor: {
      address: sponsor,
      floor: network.minSponsorBalance,
      balance: ledger.ok
        ? balanceOf(ledger.value.sponsor, read.promisedFees)
        : { kind: 'unknown', forMs: 0 },
    },
    channels: {
      total: ledger.ok ? ledger.value.channels.size : 0,
      creator: creatorOf(network, stored?.ok ? stored.value.pool : undefined),
    },
    hour: lastRead(stored, ({ hour }) => hour),
    contracts: watchedContracts(network.assets, network.watchedContracts).map((contract) => ({
      ...contract,
      misses: contracts.ok ? 0 : 1,
      ttl: contracts.ok ? contracts.value.get(contract.id) : undefined,
    })),
    terms: termsOf(network, secondsPerLedgerOf(read.endpoints, network.id)),
    trial: lastRead(read.trial, (tried) => tried),
    upto: network.upto && uptoOf(network.upto, read),
  }
}

export const termsOf = (
  network: Omit<TermsFacts, 'secondsPerLedger'>,
  secondsPerLedger: number,
): TermsFacts => ({
  assets: network.assets,
  maxTxFeeStroops: network.maxTxFeeStroops,
  expirationMarginLedgers: network.expirationMarginLedgers,
  timeoutMaxSeconds: network.timeoutMaxSeconds,
  secondsPerLedger,
})

/** A service that has just started estimates it so. */
function secondsPerLedgerOf(endpoints: readonly Endpoint[], id: NetworkId): number {
  const ledgers = new LedgerClock()
  for (const { answer } of usable(endpoints, id)) {
    const { oldestLedger, oldestCloseTime, latestLedger, latestCloseTime } = answer.retained
    ledgers.observeRetained(
      { sequence: oldestLedger, closeTime: oldestCloseTime },
      { sequence: latestLedger, closeTime: latestCloseTime },
    )
  }
  return ledgers.secondsPerLedger
}

/** The endpoints that answer and serve the right network decide; one of another network counts as an answer. */
export function rpcOf(endpoints: readonly Endpoint[], id: NetworkId): NetworkFacts['rpc'] {
  const answers = usable(endpoints, id).map(({ answer }) => answer)
  const ages = answers.map(({ answeredAt, tip }) => answeredAt - tip.closeTime * 1_000)
  const sequence = Math.max(...answers.map(({ tip }) => tip.sequence))
  const silent = silentOf(endpoints)
  return {
    misses: silent.length === endpoints.length ? 1 : 0,
    silent,
    ...(answers.length > 0 && { ledger: { sequence, ageMs: Math.min(...ages) } }),
  }
}

const creatorOf = (
  { autoProvisionChannels }: NetworkConfig,
  pool: string | undefined,
): ChannelCreator => {
  if (pool !== undefined) return { pool }
  return autoProvisionChannels ? 'service' : 'administrator'
}

const lastRead = <From, To>(
  fetched: Fetched<From> | undefined,
  select: (value: From) => To | undefined,
): LastRead<To> =>
  fetched?.ok
    ? { value: select(fetched.value), misses: 0 }
    : { value: undefined, misses: fetched ? 1 : 0 }

const uptoOf = (
  { contract, keeper }: NonNullable<NetworkConfig['upto']>,
  { upto, stored }: ReadFacts,
): UptoFacts => ({
  contract,
  ttl: upto?.ok ? ttlOf(upto.value.entries) : undefined,
  authority: {
    address: upto?.ok ? upto.value.authority : '',
    account: lastRead(upto, ({ account }) => balanceOf(account)),
    tokens: { value: undefined, misses: 0 },
  },
  missingEarlier: upto?.ok ? upto.value.missingEarlier : [],
  keeper: {
    enabled: keeper.enabled,
    autoRestore: keeper.autoRestore,
    state: lastRead(stored, (value) => value.keeper),
  },
})

const ttlOf = ({ instance, code }: ContractEntries): ContractTtl => ({
  instanceTtl: instance?.ttl ?? null,
  codeTtl: code?.ttl ?? null,
})
