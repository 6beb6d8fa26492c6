import { sponsorsOf } from '../../payments/channels/sponsor-keys.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import { accountKey, readThresholds } from '../../stellar/accounts/account-entries.ts'
import type { StellarRpc } from '../../stellar/rpc/rpc.ts'
import type { NamedClient, RpcClient } from '../../stellar/rpc/rpc-client.ts'
import { rpcClients } from '../../stellar/rpc/rpc-client.ts'
import type { Endpoint, EndpointAnswer, LedgerFacts } from '../facts/doctor-facts.ts'
import { type FetchLimits, fetchWithin } from '../facts/fetched.ts'

/** The hash of no transaction: the answer to it tells the range of ledgers that the endpoint keeps. */
const NO_HASH = '0'.repeat(64)

/** The configuration has refused plain http where it may not be. */
export const clientsOf = (
  { rpcUrls, rpcHeaders: headers }: Pick<NetworkConfig, 'rpcUrls' | 'rpcHeaders'>,
  { timeoutMs }: FetchLimits,
) => rpcClients(rpcUrls, { headers, allowHttp: true, timeoutMs })

/** Reads each endpoint by itself: a pool would hide which of them fails. */
export const readEndpoints = (
  clients: readonly NamedClient[],
  limits: FetchLimits,
): Promise<readonly Endpoint[]> =>
  Promise.all(
    clients.map(async ({ name, client }) => ({
      name,
      answer: await fetchWithin(limits, (signal) => readEndpoint(client, limits, signal)),
    })),
  )

async function readEndpoint(
  client: RpcClient,
  { clock }: FetchLimits,
  signal: AbortSignal,
): Promise<EndpointAnswer> {
  // The first request also connects, so the second one is measured.
  const passphrase = await client.passphrase(signal)
  const startedAt = clock.now()
  const tip = await client.latestLedger(signal)
  const answeredAt = clock.now()
  const retained = await client.transaction(NO_HASH, signal)
  return { passphrase, tip, retained, latencyMs: answeredAt - startedAt, answeredAt }
}

export async function readLedger(
  rpc: StellarRpc,
  network: NetworkConfig,
  sponsor: string,
  channelCount: number,
  signal: AbortSignal,
): Promise<LedgerFacts> {
  const { keys } = sponsorsOf(network)
  const derived = Array.from(
    { length: channelCount },
    (_, index) => keys.channel(network.id, index).address,
  )
  const [accounts, { entries }] = await Promise.all([
    rpc.accounts([sponsor, ...derived], signal),
    rpc.ledgerEntries([accountKey(sponsor)], signal),
  ])
  const channels = new Map(accounts)
  channels.delete(sponsor)
  const [entry] = entries
  return {
    sponsor: accounts.get(sponsor),
    signing: entry && readThresholds(entry.xdr),
    channels,
    derived,
  }
}
