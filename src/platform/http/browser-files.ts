import type { FastifyInstance } from 'fastify'
import { browserPaths } from '../core/http-paths.ts'
import { serveRoute } from './server/route.ts'

const DAY = 'public, max-age=86400'

/** Answers the requests that browsers and crawlers make by themselves; the log and the metrics would show a 404 for each. */
export function exposeBrowserFiles(app: FastifyInstance): void {
  serveRoute(app, { method: 'get', path: browserPaths.favicon }, (_request, reply) =>
    reply.code(204).header('cache-control', DAY).send(),
  )
  // Nothing here is worth an entry in a search engine, and crawlers would use up the limit of their address.
  serveRoute(app, { method: 'get', path: browserPaths.robots }, (_request, reply) =>
    reply
      .header('cache-control', DAY)
      .type('text/plain; charset=utf-8')
      .send('User-agent: *\nDisallow: /\n'),
  )
}
