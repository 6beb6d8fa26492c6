import type { FastifyInstance } from 'fastify'
import { publicPaths } from '../../../platform/core/http-paths.ts'
import { weightsOf } from '../../../platform/http/access/weights.ts'
import { baseUrlOf } from '../../../platform/http/base-url.ts'
import { exposeBrowserFiles } from '../../../platform/http/browser-files.ts'
import { type Route, serveRoute } from '../../../platform/http/server/route.ts'
import { type DescribedService, description, descriptionSchema } from './description.ts'
import { startPage } from './page.ts'
import { contentSecurityPolicy } from './style.ts'

export const startPageRoute: Route = {
  id: 'start',
  method: 'get',
  path: publicPaths.start,
  tag: 'Operations',
  summary: 'What this service is and where to go on; a page for a browser',
  isPublicRead: true,
  answers: {
    200: {
      description: 'JSON, or a page when `Accept` prefers `text/html`',
      body: { name: 'Description', schema: descriptionSchema },
      alsoAs: 'text/html',
    },
  },
}

const pageHeaders = {
  'content-security-policy': contentSecurityPolicy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
}

export interface StartPageOptions {
  /** Proxies in front of the service. @default 0 */
  readonly trustedProxyHops?: number
}

/** `GET /`, answered from memory, and the files that browsers want beside it. */
export function exposeStartPage(
  app: FastifyInstance,
  service: DescribedService,
  { trustedProxyHops = 0 }: StartPageOptions,
): void {
  serveRoute(app, startPageRoute, ({ headers }, reply) => {
    // The page names the requested host, and both forms change with the state of the service.
    reply.headers({ vary: 'Accept', 'cache-control': 'no-store' })
    if (!prefersHtml(headers.accept)) return reply.send(description(service))
    const page = startPage(service, baseUrlOf(headers, trustedProxyHops))
    return reply.headers(pageHeaders).type('text/html; charset=utf-8').send(page)
  })
  exposeBrowserFiles(app)
}

/** Browsers name `text/html` first; programs name JSON, or take anything. */
function prefersHtml(accept: string | undefined): boolean {
  const weights = weightsOf(accept)
  const page = weights.get('text/html') ?? 0
  const data = weights.get('application/json')
  if (data !== undefined) return page > data
  return page > 0 && page >= (weights.get('application/*') ?? weights.get('*/*') ?? 0)
}
