import { USUAL_BOUNDS } from '../../platform/http/server/connections.ts'
import {
  createHttpServer,
  type HttpServer,
  type HttpServerOptions,
} from '../../platform/http/server/server.ts'
import type { ServeConfig } from '../../settings/serve.ts'

/** The members of the configuration that every public server of a process follows. */
export const serverMembers = [
  'bodyLimitBytes',
  'keepAliveSeconds',
  'trustedProxyHops',
] as const satisfies readonly (keyof ServeConfig)[]
export type PublicServerConfig = Pick<ServeConfig, (typeof serverMembers)[number]>

/** The server of a port on which others send requests. */
export function publicServer(
  { bodyLimitBytes, keepAliveSeconds, trustedProxyHops }: PublicServerConfig,
  options: Omit<HttpServerOptions, 'bodyLimitBytes' | 'connections'>,
): HttpServer {
  const connections =
    // A proxy brings the connections of all clients.
    trustedProxyHops > 0 ? { ...USUAL_BOUNDS, ofAddress: Infinity } : USUAL_BOUNDS
  const server = createHttpServer({ ...options, bodyLimitBytes, connections })
  server.app.server.keepAliveTimeout = keepAliveSeconds * 1_000
  return server
}
