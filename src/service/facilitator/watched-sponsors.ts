import type { FacilitatorDeps } from '../../payments/engine/network/open-network.ts'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { NetworkConfig } from '../../settings/sections/network-settings.ts'
import type { SignerHealth } from '../../signing/signer-health.ts'
import { type OpenSponsors, openSponsors } from '../networks/open-sponsor.ts'

/** The sponsors of a network; what signs for the present one is watched, logged and measured. */
export function openWatchedSponsors(
  config: NetworkConfig,
  { clock, log, metrics }: Pick<FacilitatorDeps, 'clock' | 'log' | 'metrics'>,
): OpenSponsors & { readonly id: NetworkId } {
  const network = config.id
  const onHealth = (health: SignerHealth) => {
    metrics.signerUp.set({ network }, health.state === 'works' ? 1 : 0)
    if (health.state !== 'fails') {
      log.info({ network }, 'The signer of the sponsor answers with the right key')
      return
    }
    const { problem, message } = health.error
    log.error(
      { network, problem, reason: message },
      'The signer of the sponsor fails: new settlements are answered with 503 until it shows its key again',
    )
  }
  const opened = openSponsors(config, {
    clock,
    onHealth,
    onCall: (seconds, because) =>
      metrics.signerDuration.observe({ network, outcome: because?.problem ?? 'signed' }, seconds),
  })
  if (opened.guard) metrics.signerUp.set({ network }, 0)
  opened.guard?.watch()
  return Object.assign(opened, { id: network })
}
