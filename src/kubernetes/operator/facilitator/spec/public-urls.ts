import type { Facilitator } from '../../../crd/facilitator.ts'

interface PublicUrls {
  readonly url: string
  readonly explorerUrl?: string
}

/** The URLs of a Facilitator's route; undefined without one. */
export function publicUrls({ spec }: Facilitator): PublicUrls | undefined {
  const { route, explorer } = spec
  if (!route) return undefined
  const scheme = hasTls(route) ? 'https' : 'http'
  const hasExplorerUrl = explorer.enabled && route.explorerHost !== undefined
  return {
    url: `${scheme}://${route.hosts[0]}`,
    ...(hasExplorerUrl && { explorerUrl: `${scheme}://${route.explorerHost}` }),
  }
}

type Route = NonNullable<Facilitator['spec']['route']>

/**
 * Whether the route has TLS. An Ingress has it when it names a certificate. The operator does not read Gateways: their listeners count
 * as listeners with TLS, unless every reference names port 80, or a listener such as `http` or `http-internal`.
 */
function hasTls({ tlsSecretName, parentRefs }: Route): boolean {
  if (!parentRefs) return tlsSecretName !== undefined
  return !parentRefs.every(
    ({ port, sectionName = '' }) => port === 80 || /^http($|[^s])/.test(sectionName),
  )
}
