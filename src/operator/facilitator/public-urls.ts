import type { Facilitator } from '../../api/facilitator.ts'

interface PublicUrls {
  readonly url: string
  readonly explorerUrl?: string
}

/** Where the route of a Facilitator leads to; undefined without one. */
export function publicUrls({ spec }: Facilitator): PublicUrls | undefined {
  const { route, explorer } = spec
  if (!route) return undefined
  // A Gateway terminates TLS with its own certificate.
  const scheme = route.tlsSecretName !== undefined || route.parentRefs ? 'https' : 'http'
  const hasExplorerUrl = explorer.enabled && route.explorerHost !== undefined
  return {
    url: `${scheme}://${route.hosts[0]}`,
    ...(hasExplorerUrl && { explorerUrl: `${scheme}://${route.explorerHost}` }),
  }
}
