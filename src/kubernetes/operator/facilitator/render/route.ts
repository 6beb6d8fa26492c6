import { browserPaths, mcpPath, publicPaths } from '../../../../platform/core/http-paths.ts'
import type { Facilitator } from '../../../crd/facilitator.ts'
import type { DesiredObject } from '../../../runtime/objects/resource.ts'
import { metadataOf } from '../spec/child-metadata.ts'
import { type Part, partsOf } from '../spec/parts.ts'
import { HTTP_PORT, serviceName } from './service.ts'

interface Path {
  readonly path: string
  readonly isPrefix: boolean
  readonly to: Part['component']
}

interface Host {
  readonly hosts: readonly string[]
  readonly component: Part['component']
  readonly paths: readonly Path[]
}

/** The hosts of the route, and the part that serves each path. */
function hostsOf(facilitator: Facilitator): readonly Host[] {
  const { route } = facilitator.spec
  if (!route) return []
  const parts = partsOf(facilitator)
  const has = (component: Part['component']) => parts.some((part) => part.component === component)
  const exact = Object.values({ ...publicPaths, ...browserPaths }).map(
    (path): Path => ({ path, isPrefix: false, to: 'facilitator' }),
  )
  const ofCatalog: readonly Path[] = [
    { path: '/discovery', isPrefix: true, to: 'catalog' },
    { path: mcpPath, isPrefix: false, to: 'catalog' },
  ]
  const everything: Path = { path: '/', isPrefix: true, to: 'explorer' }
  return [
    {
      hosts: route.hosts,
      component: 'facilitator',
      paths: has('catalog') ? [...exact, ...ofCatalog] : exact,
    },
    ...(route.explorerHost !== undefined && has('explorer')
      ? [{ hosts: [route.explorerHost], component: 'explorer' as const, paths: [everything] }]
      : []),
  ]
}

/** One Ingress or HTTPRoute for the facilitator and one for the explorer; none without a route. */
export const routes = (facilitator: Facilitator): readonly DesiredObject[] =>
  hostsOf(facilitator).map((host) =>
    facilitator.spec.route?.parentRefs ? httpRoute(facilitator, host) : ingress(facilitator, host),
  )

const metadata = (facilitator: Facilitator, { component }: Host) =>
  metadataOf(facilitator, {
    suffix: component,
    component,
    annotations: facilitator.spec.route?.annotations,
  })

function ingress(facilitator: Facilitator, host: Host): DesiredObject {
  const { route } = facilitator.spec
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: metadata(facilitator, host),
    spec: {
      ingressClassName: route?.ingressClassName,
      ...(route?.tlsSecretName !== undefined && {
        tls: [{ hosts: host.hosts, secretName: route.tlsSecretName }],
      }),
      rules: host.hosts.map((name) => ({
        host: name,
        http: {
          paths: host.paths.map(({ path, isPrefix, to }) => ({
            path,
            pathType: isPrefix ? 'Prefix' : 'Exact',
            backend: {
              service: { name: serviceName(facilitator, to), port: { number: HTTP_PORT } },
            },
          })),
        },
      })),
    },
  }
}

function httpRoute(facilitator: Facilitator, host: Host): DesiredObject {
  const backends = [...new Set(host.paths.map(({ to }) => to))]
  return {
    apiVersion: 'gateway.networking.k8s.io/v1',
    kind: 'HTTPRoute',
    metadata: metadata(facilitator, host),
    spec: {
      parentRefs: facilitator.spec.route?.parentRefs,
      hostnames: host.hosts,
      rules: backends.map((backend) => ({
        matches: host.paths
          .filter(({ to }) => to === backend)
          .map(({ path, isPrefix }) => ({
            path: { type: isPrefix ? 'PathPrefix' : 'Exact', value: path },
          })),
        backendRefs: [{ name: serviceName(facilitator, backend), port: HTTP_PORT }],
      })),
    },
  }
}
