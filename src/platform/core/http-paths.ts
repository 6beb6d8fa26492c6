/*
 * Paths of the service's HTTP interface. The routes are declared with them, and the operator renders
 * them into Ingress rules, probes and monitors without importing the routes.
 */

/** Answered on the public port and routed to the outside, by operation. */
export const publicPaths = {
  start: '/',
  supported: '/supported',
  proofs: '/supported/proofs',
  verify: '/verify',
  settle: '/settle',
  usage: '/usage',
  statement: '/usage/statement',
  health: '/health',
  ready: '/ready',
  openapi: '/openapi.json',
} as const

/** The catalog of paid resources, on the public port of the processes that serve it. `:id` stands for one segment. */
export const discoveryPaths = {
  resources: '/discovery/resources',
  listing: '/discovery/resources/:id',
  versions: '/discovery/resources/:id/versions',
  search: '/discovery/search',
  validate: '/discovery/validate',
} as const

/** The tools for agents, on the public port of the processes that serve the catalog. */
export const mcpPath = '/mcp'

/** The analytics interface, on the explorer's port. `:name` stands for one segment. */
export const explorerPaths = {
  feed: '/feed',
  payment: '/tx/:hash',
  sellers: '/sellers',
  seller: '/seller/:payTo',
  stats: '/stats',
  ecosystem: '/ecosystem',
  timeseries: '/ecosystem/timeseries',
  facilitators: '/facilitators',
  facilitator: '/facilitator/:id',
  asset: '/asset/:contract',
  announce: '/announce',
  health: '/health',
} as const

/** Paths that browsers and crawlers request by themselves: answered and routed too, and part of no interface. */
export const browserPaths = { favicon: '/favicon.ico', robots: '/robots.txt' } as const

/** For the kubelet and the scraper; never routed to the outside. */
export const clusterPaths = { live: '/livez', ready: '/readyz', metrics: '/metrics' } as const
