import { authoritiesToStore, authoritySigners } from '../../payments/channels/authorities.ts'
import { provisionChannels } from '../../payments/channels/create/provision.ts'
import { type FacilitatorDeps, openNetwork } from '../../payments/engine/network/open-network.ts'
import type { NetworkRpc, ServedNetwork } from '../../payments/engine/network/served-network.ts'
import { putAuthorities } from '../../payments/store/upto/authorities.ts'
import { TimeLimitExceeded, withTimeLimit } from '../../platform/core/time/time-limit.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import { SignerError } from '../../stellar/accounts/envelope-signer.ts'
import { RpcError } from '../../stellar/rpc/rpc.ts'
import { openRpcPool } from '../networks/open-rpc-pool.ts'
import type { OpenSponsors } from '../networks/open-sponsor.ts'
import { reasonOf } from '../networks/rpc-reason.ts'

type RpcFor = (config: NetworkConfig) => NetworkRpc | Promise<NetworkRpc>

/**
 * Creates missing channels if configured, then opens the network. A network that does not answer is opened
 * without: payments on it are refused as in any outage, until a background task has prepared it.
 *
 * Throws `RpcError` when all endpoints serve another network, `ProvisionFailure` when the sponsor cannot
 * pay.
 */
export async function openConfigured(
  config: NetworkConfig,
  sponsors: OpenSponsors,
  deps: FacilitatorDeps,
  rpcFor: RpcFor = (each) => openRpcPool(each, deps),
): Promise<ServedNetwork> {
  const authorities = authoritiesToStore(config.id, sponsors)
  await putAuthorities(deps.store.db, authorities)
  const rpc = await rpcFor(config)
  const isPrepared = await prepare(config, sponsors, rpc, deps).then(
    () => true,
    (error: unknown) => {
      if (!isOutage(error)) throw error
      sayUnreachable(config, error, deps)
      return false
    },
  )
  const { floorStroops: floor, capStroops: cap, percentile } = config.inclusionFee
  const network = await openNetwork(
    {
      ...config,
      rpc,
      sponsor: sponsors.keys.signer,
      signer: sponsors.guard,
      deriveChannel: (index) => sponsors.keys.channel(config.id, index),
      inclusionFee: { floor, cap, percentile },
      ownAccounts: authorities.flatMap(({ account, sponsor }) => [account, sponsor]),
      upto: config.upto && {
        ...config.upto,
        authorities: authoritySigners(config.id, sponsors),
        nextAuthority: sponsors.nextSponsor?.authority(config.id),
      },
    },
    deps,
  )
  if (!isPrepared) prepareLater(config, sponsors, network, deps)
  return network
}

/** Waits until the network has answered once; creates missing channels if configured. */
async function prepare(
  config: NetworkConfig,
  sponsors: OpenSponsors,
  rpc: NetworkRpc,
  deps: FacilitatorDeps,
) {
  const { store, clock, log, timings, signal } = deps
  const limit = { clock, ms: timings.rpcTimeoutMs, signal }
  await withTimeLimit(limit, (ending) => rpc.latestLedger(ending))
  if (!config.autoProvisionChannels) return
  await provisionChannels({
    // Fewer channels than configured would serve; a sponsor that cannot pay fees would not.
    keepSpendable: config.minSponsorBalance,
    network: config.id,
    keys: sponsors.keys,
    count: config.channelCount,
    servesUpto: config.upto !== undefined,
    previousSponsor: sponsors.previousSponsor,
    nextSponsor: sponsors.nextSponsor,
    inclusionFee: config.inclusionFee.floorStroops,
    rpc,
    store,
    clock,
    log,
    signal,
  })
}

/** Tries until it succeeds, or the signal aborts. */
function prepareLater(
  config: NetworkConfig,
  sponsors: OpenSponsors,
  network: ServedNetwork,
  deps: FacilitatorDeps,
): void {
  const { clock, log, metrics, timings, signal } = deps
  const { id, rpc, monitor } = network
  const succeeds = () =>
    prepare(config, sponsors, rpc, deps).then(
      () => true,
      (error: unknown) => {
        // The RPC pool logs what changes about an outage.
        if (isOutage(error) || signal.aborted) return false
        metrics.backgroundErrors.inc({ task: 'open_network' })
        log.error(
          { err: error, network: id },
          'Could not create the missing channels; trying again',
        )
        return false
      },
    )
  const run = async () => {
    do await clock.sleep(timings.reopenMs, signal)
    while (!(await succeeds()))
    await monitor.refresh()
    log.info({ network: id }, 'Network answers now: payments on it are accepted')
  }
  run().catch((error: unknown) => {
    if (!signal.aborted) log.error({ err: error, network: id }, 'Could not open the network')
  })
}

const isOutage = (error: unknown): error is Error =>
  error instanceof TimeLimitExceeded ||
  error instanceof SignerError ||
  (error instanceof RpcError && error.kind !== 'wrong_network')

function sayUnreachable(
  { id, rpcUrls }: NetworkConfig,
  error: Error,
  { log, timings }: FacilitatorDeps,
): void {
  const isSigner = error instanceof SignerError
  log.error(
    {
      network: id,
      // Only the hosts: paths, queries and user names may be keys.
      ...(!isSigner && { endpoints: rpcUrls.map((url) => URL.parse(url)?.host) }),
      reason: reasonOf(error),
    },
    `${isSigner ? 'The signer of the sponsor signs no missing channels' : 'No Stellar RPC endpoint of the network answers'}. The service starts without it: payments on it are refused as retryable. It tries again every ${timings.reopenMs / 1_000} s`,
  )
}
