/* One resource. Every text of a seller becomes a text node, never HTML. */
import { ApiError } from 'stellar-x402/client'
import { daysAgo, networkName, plural, priceOf } from './format.js'

const DAYS = 30

const trusts = {
  settled: ['Not verified', 'Somebody has paid for it.'],
  origin_verified: ['Verified', 'Its own price names this seller.'],
  domain_verified: ['Domain verified', 'Its domain names this seller, too.'],
}

/** Strings in `children` become text nodes. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name)
  for (const [attribute, value] of Object.entries(attributes)) made.setAttribute(attribute, value)
  made.append(...children)
  return made
}

export function resourceCard(item, explorer) {
  const { resource, description, serviceName, tags = [], svc, accepts } = item
  const [trust = svc.trust, meaning = ''] = trusts[svc.trust] ?? []
  const networks = new Set(accepts.map(({ network }) => networkName(network)))
  const last = svc.listings
    .map(({ lastSettled }) => lastSettled)
    .toSorted()
    .at(-1)
  const price = accepts[0] ? priceOf(accepts[0], svc.options[0]) : 'no price'
  return element(
    'li',
    { class: 'card' },
    element('h2', { tabindex: '-1' }, serviceName || (URL.parse(resource)?.host ?? resource)),
    element(
      'p',
      { class: 'address' },
      element('span', { class: 'method' }, svc.toolName ?? svc.method ?? item.type),
      ' ',
      resource,
    ),
    ...(description ? [element('p', { class: 'description' }, description)] : []),
    ...(tags.length > 0
      ? [
          element(
            'ul',
            { class: 'tags', 'aria-label': 'Tags' },
            ...tags.map((tag) => element('li', {}, tag)),
          ),
        ]
      : []),
    element(
      'dl',
      {},
      ...row('Price', element('strong', {}, price)),
      ...row('Network', [...networks].join(', ')),
      ...row('Paid', `${plural(svc.settlements, 'time')}, last ${daysAgo(last)}`),
      ...row('Seller', element('span', { class: `trust ${svc.trust}`, title: meaning }, trust)),
    ),
    ...(explorer && accepts[0] ? [activity(accepts[0], explorer)] : []),
  )
}

const row = (term, ...values) => [element('dt', {}, term), element('dd', {}, ...values)]

/** Asked for when it is opened, so that a list of cards is one request. */
function activity({ payTo, network }, explorer) {
  const content = element('p', { role: 'status' }, 'Loading')
  const details = element('details', {}, element('summary', {}, 'Activity of the seller'), content)
  details.addEventListener('toggle', async () => {
    if (!details.open || details.dataset.asked) return
    details.dataset.asked = 'yes'
    try {
      const [{ stats, conduct }, { points }] = await Promise.all([
        explorer.seller(payTo, { network }),
        explorer.timeseries({ seller: payTo, network, bucket: 'day', days: DAYS }),
      ])
      const own = conduct.selfPayments
      content.textContent = [
        `${plural(stats.totalPayments, 'payment')} from ${plural(stats.uniqueBuyers, 'buyer')}`,
        ...(stats.lastPaymentAt ? [`last ${daysAgo(stats.lastPaymentAt)}`] : []),
        ...(own > 0 ? [`${own} of them by the seller itself`] : []),
      ].join(', ')
      details.append(chart(points.map(({ payments }) => payments)))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      delete details.dataset.asked
      content.textContent = `The explorer cannot be read: ${error.message}.`
    }
  })
  return details
}

/** A bar for each day. */
function chart(payments) {
  const sum = payments.reduce((total, each) => total + each, 0)
  const most = Math.max(1, ...payments)
  const bars = payments.map((each) => {
    const bar = element('span')
    bar.style.height = `${Math.round((each / most) * 100)}%`
    return bar
  })
  const label = `${plural(sum, 'payment')} in ${payments.length} days, at most ${most} a day`
  return element(
    'div',
    {},
    element('div', { class: 'chart', role: 'img', 'aria-label': label }, ...bars),
    element('p', { class: 'days' }, `${payments.length} days`),
  )
}
