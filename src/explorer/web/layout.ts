import { Fragment, h, type VNode } from 'preact'
import { renderToString } from 'preact-render-to-string'
import type { NetworkId } from '../../platform/core/caip2.ts'
import type { IngestEntry } from '../records.ts'
import { footer } from './components/footer.ts'
import { networkName } from './components/values/network.ts'
import { linkTo, withQuery } from './links.ts'
import type { Page, Section } from './page.ts'
import { staticPath } from './serving/static-files.ts'

export interface LayoutOptions {
  readonly networks: readonly NetworkId[]
  /** The chosen one. */
  readonly network?: NetworkId | undefined
  /** The path and the query of this page, for links that change one parameter. */
  readonly path: string
  readonly query: Readonly<Record<string, string>>
  /** Whether there is a catalog to lead to. */
  readonly hasCatalog: boolean
  readonly ingest: readonly IngestEntry[] | undefined
  readonly version: string
  readonly now: number
}

/** The whole document. Everything that a page shows is text or an attribute of preact, and so escaped. */
export function documentOf(page: Page, options: LayoutOptions): string {
  return `<!doctype html>${renderToString(html(page, options))}`
}

const html = (page: Page, options: LayoutOptions): VNode =>
  h(
    'html',
    { lang: 'en' },
    head(page),
    h(
      'body',
      null,
      h('a', { class: 'skip', href: '#content' }, 'Skip to content'),
      header(page.section, options),
      h('main', { id: 'content', tabIndex: -1 }, page.body),
      footer(options),
      h('p', { id: 'announcer', class: 'unseen', role: 'status', 'aria-live': 'polite' }),
    ),
  )

/** Of a page that says nothing more particular. */
const ABOUT =
  'Every x402 payment on Stellar that the explorer has observed: who paid whom, how much, and through whom.'

const head = ({ title, description = ABOUT }: Page): VNode =>
  h(
    'head',
    null,
    h('meta', { charset: 'utf-8' }),
    h('meta', { name: 'viewport', content: 'width=device-width, initial-scale=1' }),
    h('meta', { name: 'color-scheme', content: 'light dark' }),
    h('title', null, `${title} · svc explorer`),
    previewTags(title, description),
    h('link', { rel: 'icon', type: 'image/svg+xml', href: staticPath('icon.svg') }),
    // Not deferred: it sets the remembered theme before anything is painted.
    h('script', { src: staticPath('theme.js') }),
    h('link', { rel: 'stylesheet', href: staticPath('style.css') }),
    h('script', { src: staticPath('page.js'), type: 'module' }),
    h('script', { src: staticPath('live.js'), type: 'module' }),
    h('script', { src: staticPath('uplot.js'), defer: true }),
    h('script', { src: staticPath('chart.js'), type: 'module' }),
  )

/**
 * Open Graph (https://ogp.me), as text alone. It has no address: the sender of a request chooses its `Host`, and a cache
 * would give it to others.
 */
const previewTags = (title: string, description: string): VNode[] => [
  h('meta', { name: 'description', content: description }),
  h('meta', { name: 'twitter:card', content: 'summary' }),
  h('meta', { property: 'og:type', content: 'website' }),
  h('meta', { property: 'og:site_name', content: 'svc explorer' }),
  h('meta', { property: 'og:title', content: title }),
  h('meta', { property: 'og:description', content: description }),
]

const sections: readonly { readonly id: Section; readonly label: string }[] = [
  { id: 'overview', label: 'Overview' },
  { id: 'catalog', label: 'Catalog' },
  { id: 'payments', label: 'Payments' },
  { id: 'sellers', label: 'Sellers' },
  { id: 'facilitators', label: 'Facilitators' },
]

const header = (section: Section | undefined, options: LayoutOptions): VNode =>
  h(
    'header',
    { class: 'top' },
    h(
      'div',
      { class: 'bar' },
      h(
        'a',
        { class: 'brand', href: linkTo.overview(options.network && { network: options.network }) },
        mark(),
        'svc',
      ),
      navigation(section, options),
      searchForm(options),
      networkChoice(options),
      h(
        'button',
        {
          class: 'icon-button',
          type: 'button',
          'data-theme-toggle': true,
          hidden: true,
          'aria-label': 'Switch between light and dark',
        },
        themeIcon(),
      ),
    ),
  )

const navigation = (
  section: Section | undefined,
  { network, hasCatalog }: Pick<LayoutOptions, 'network' | 'hasCatalog'>,
): VNode =>
  h(
    'nav',
    { 'aria-label': 'Main' },
    h(
      'ul',
      null,
      sections.map(
        ({ id, label }) =>
          (id !== 'catalog' || hasCatalog) &&
          h(
            'li',
            { key: id },
            h(
              'a',
              { href: linkTo[id]({ network }), ...(id === section && { 'aria-current': 'page' }) },
              label,
            ),
          ),
      ),
    ),
  )

const searchForm = ({ query, path }: LayoutOptions): VNode =>
  h(
    'form',
    { class: 'search', role: 'search', action: '/ui/find', method: 'get' },
    h(
      'label',
      { class: 'unseen', for: 'search' },
      'Search for an address, a transaction, a facilitator or a service',
    ),
    searchIcon(),
    h('input', {
      id: 'search',
      type: 'search',
      name: 'q',
      placeholder: 'Address, transaction hash or name',
      autocomplete: 'off',
      spellcheck: false,
      maxLength: 256,
      value: path === '/ui/find' ? (query['q'] ?? '') : '',
    }),
    h('kbd', { 'aria-hidden': 'true' }, '/'),
  )

/** Links, so that the choice works without a script; a single network is only named. */
function networkChoice({ networks, network, path, query }: LayoutOptions): VNode {
  const [only] = networks
  if (networks.length === 1 && only) {
    return h('span', { class: 'network' }, networkName(only))
  }
  const { cursor: _cursor, offset: _offset, ...kept } = query
  const choices = [undefined, ...networks]
  return h(
    'nav',
    { class: 'segmented', 'aria-label': 'Network' },
    choices.map((choice) =>
      h(
        'a',
        {
          key: choice ?? 'all',
          href: withQuery(path, { ...kept, network: choice }),
          ...(choice === network && { 'aria-current': 'true' }),
        },
        choice === undefined ? 'All' : networkName(choice),
      ),
    ),
  )
}

const icon = (body: VNode): VNode =>
  h(
    'svg',
    {
      viewBox: '0 0 20 20',
      width: 18,
      height: 18,
      fill: 'none',
      stroke: 'currentColor',
      'stroke-width': 1.6,
      'stroke-linecap': 'round',
      'aria-hidden': 'true',
    },
    body,
  )

const searchIcon = (): VNode =>
  icon(h('path', { d: 'M9 15a6 6 0 1 1 0-12 6 6 0 0 1 0 12Zm4.3-1.7L17 17' }))

/** A disc, half of it filled. */
const themeIcon = (): VNode =>
  icon(
    h(
      Fragment,
      null,
      h('circle', { cx: 10, cy: 10, r: 6.5 }),
      h('path', { d: 'M10 3.5a6.5 6.5 0 0 1 0 13Z', fill: 'currentColor', stroke: 'none' }),
    ),
  )

/** Two payments that meet: the mark of the brand, also in `static/icon.svg`. */
const mark = (): VNode =>
  h(
    'svg',
    { viewBox: '0 0 24 24', width: 24, height: 24, 'aria-hidden': 'true', class: 'mark' },
    h('rect', { width: 24, height: 24, rx: 7 }),
    h('path', { d: 'M6.5 9.5h8.2l-2.4-2.6M17.5 14.5H9.3l2.4 2.6' }),
  )
