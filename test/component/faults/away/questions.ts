/** A request to every route that reads or writes the database, and the routes that need none. */
import { pagePaths } from '../../../../src/explorer/web/links.ts'

export interface Question {
  /** On the server of the facilitator, or on that of catalog and explorer. */
  readonly at: 'facilitator' | 'reads'
  readonly path: string
  /** A POST when present. `payment`: one that was not settled yet; `announcement`: of the facilitator itself. */
  readonly sends?: 'payment' | 'announcement'
}

const NONE = 'needs no database'
const hash = 'ab'.repeat(32)
const contract = 'CBIELTK6YBZJU5UP2WWQEUCYKLPU6AUNZ2BQ4WWFEIE3USCIHMXQDAMA'
const account = 'GAAZI4TCR3TY5OJHCTJC2A4QSY6CJWJH5IAJTGKIN2ER7LBNVKOCCWN7'
const listing = '/discovery/resources/0198f2a0-0000-7000-8000-000000000000'

/** By the id of the route. */
export const ofFacilitator: Readonly<Record<string, Question | typeof NONE>> = {
  supported: NONE,
  signerProofs: NONE,
  verify: { at: 'facilitator', path: '/verify', sends: 'payment' },
  settle: { at: 'facilitator', path: '/settle', sends: 'payment' },
  listResources: { at: 'reads', path: '/discovery/resources' },
  getListing: { at: 'reads', path: listing },
  getListingVersions: { at: 'reads', path: `${listing}/versions` },
  searchResources: { at: 'reads', path: '/discovery/search?query=weather' },
  validateResource: NONE,
  usage: { at: 'facilitator', path: '/usage' },
  statement: { at: 'facilitator', path: '/usage/statement?month=2020-01' },
  health: NONE,
  ready: NONE,
  metrics: NONE,
  openapi: NONE,
  start: NONE,
}

/** By the id of the route. */
export const ofExplorer: Readonly<Record<string, Question | typeof NONE>> = {
  feed: { at: 'reads', path: '/feed' },
  payment: { at: 'reads', path: `/tx/${hash}` },
  sellers: { at: 'reads', path: '/sellers' },
  seller: { at: 'reads', path: `/seller/${account}` },
  stats: { at: 'reads', path: '/stats' },
  ecosystem: { at: 'reads', path: '/ecosystem' },
  timeseries: { at: 'reads', path: '/ecosystem/timeseries' },
  facilitators: { at: 'reads', path: '/facilitators' },
  facilitator: { at: 'reads', path: '/facilitator/some-id' },
  asset: { at: 'reads', path: `/asset/${contract}` },
  announceFacilitator: { at: 'reads', path: '/announce', sends: 'announcement' },
  explorerHealth: NONE,
  ready: NONE,
  metrics: NONE,
  openapi: NONE,
}

/**
 * Live updates hold a connection to the browser, and report nothing while the database is away. What the pages of the catalog say then
 * is in `catalog-pages.test.ts`.
 */
const pages: Readonly<
  Record<Exclude<keyof typeof pagePaths, 'live' | 'catalog' | 'listing'>, string>
> = {
  overview: pagePaths.overview,
  payments: pagePaths.payments,
  payment: `${pagePaths.payments}/${hash}`,
  sellers: pagePaths.sellers,
  seller: `${pagePaths.sellers}/${account}`,
  facilitators: pagePaths.facilitators,
  facilitator: `${pagePaths.facilitators}/some-id`,
  asset: pagePaths.asset.replace(':contract', contract),
  address: pagePaths.address.replace(':address', account),
  find: `${pagePaths.find}?q=weather`,
}
const files = [
  `${pagePaths.payments}.csv`,
  `${pagePaths.sellers}.csv`,
  `${pagePaths.facilitators}.csv`,
]

const isQuestion = (each: Question | typeof NONE): each is Question => each !== NONE

export const questions: readonly Question[] = [
  ...[...Object.values(ofFacilitator), ...Object.values(ofExplorer)].filter(isQuestion),
  ...[...Object.values(pages), ...files].map((path) => ({ at: 'reads', path }) as const),
]
