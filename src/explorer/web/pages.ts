import type { FastifyInstance } from 'fastify'
import { SAME_URL_MS } from '../shared-answers.ts'
import { facilitatorsCsv, paymentsCsv, sellersCsv } from './csv/downloads.ts'
import type { PageDeps } from './deps.ts'
import { pagePaths } from './links.ts'
import type { LiveUpdates } from './live/live-updates.ts'
import { exposeLive } from './live/route.ts'
import { PageRefusal } from './page.ts'
import { PageServer } from './serving/serve-page.ts'
import { exposeStaticFiles } from './serving/static-files.ts'
import { addressPage } from './views/address/address-page.ts'
import { assetPage } from './views/asset/page.ts'
import { catalogPage } from './views/catalog/catalog-page.ts'
import { facilitatorPage } from './views/facilitators/facilitator-page.ts'
import { facilitatorsPage } from './views/facilitators/page.ts'
import { feedPage } from './views/feed/page.ts'
import { findPage } from './views/find/find-page.ts'
import { listingPage } from './views/listing/listing-page.ts'
import { overviewPage } from './views/overview/page.ts'
import { paymentPage } from './views/payment/payment-page.ts'
import { sellersPage } from './views/sellers/page.ts'
import { sellerPage } from './views/sellers/seller-page.ts'

export interface PagesOptions extends PageDeps {
  /** Dispose of it when the server begins to drain: its connections would delay the end. */
  readonly live: LiveUpdates
  /** Proxies in front of the service. @default 0 */
  readonly trustedProxyHops?: number
  /** How long a page is given again to who asks for the same URL. @default `SAME_URL_MS` */
  readonly sameUrlMs?: number
}

/** The pages of the explorer below `/ui/`, and `/`, which leads there. */
export function exposePages(app: FastifyInstance, deps: PagesOptions): void {
  exposeStaticFiles(app)
  app.get('/', (_request, reply) => reply.redirect(pagePaths.overview, 302))
  const { trustedProxyHops = 0, sameUrlMs = SAME_URL_MS } = deps
  const pages = new PageServer(app, { ...deps, trustedProxyHops, sameUrlMs })
  exposeLive(app, { ...deps, trustedProxyHops })
  pages.serve(pagePaths.overview, (request) => overviewPage(request, deps))
  pages.serve(pagePaths.catalog, (request) => catalogPage(request, deps))
  pages.serve(pagePaths.listing, (request) => listingPage(request, deps))
  pages.serve(pagePaths.sellers, (request) => sellersPage(request, deps))
  pages.serve(pagePaths.seller, (request) => sellerPage(request, deps))
  pages.serve(pagePaths.facilitators, (request) => facilitatorsPage(request, deps))
  pages.serve(pagePaths.facilitator, (request) => facilitatorPage(request, deps))
  pages.serve(pagePaths.asset, (request) => assetPage(request, deps))
  pages.serve(pagePaths.payments, (request) => feedPage(request, deps))
  pages.serveDownload(`${pagePaths.payments}.csv`, (request) => paymentsCsv(request, deps))
  pages.serveDownload(`${pagePaths.sellers}.csv`, (request) => sellersCsv(request, deps))
  pages.serveDownload(`${pagePaths.facilitators}.csv`, (request) => facilitatorsCsv(request, deps))
  pages.serve(pagePaths.payment, (request) => paymentPage(request, deps))
  pages.serve(pagePaths.address, (request) => addressPage(request, deps))
  pages.serve(pagePaths.find, (request) => findPage(request, deps))
  pages.serve('/ui/*', () => {
    throw new PageRefusal(
      404,
      'There is no such page',
      'Check the address, or search for an address or a transaction above.',
    )
  })
}
