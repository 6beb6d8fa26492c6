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
] as const satisfies readonly (keyof ServeConfig)[]
export type PublicServerConfig = Pick<ServeConfig, (typeof serverMembers)[number]>

/** The server of a port on which others send requests. */
export function publicServer(
  { bodyLimitBytes, keepAliveSeconds }: PublicServerConfig,
  options: Omit<HttpServerOptions, 'bodyLimitBytes'>,
): HttpServer {
  const server = createHttpServer({ ...options, bodyLimitBytes })
  server.app.server.keepAliveTimeout = keepAliveSeconds * 1_000
  return server
}
