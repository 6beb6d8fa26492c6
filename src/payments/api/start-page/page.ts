import { publicPaths } from '../../../platform/core/http-paths.ts'
import type { HealthSnapshot } from '../../health/schema.ts'
import { servedNames } from '../../schemes/schemes.ts'
import {
  type DescribedService,
  type Description,
  description,
  SERVICE_NAME,
} from './description.ts'
import { Html, html } from './html.ts'
import { style } from './style.ts'

/**
 * The page for a person with a browser. It loads nothing and runs nothing.
 * @param baseUrl the address at which this visitor reaches the service, where that is known
 */
export function startPage(service: DescribedService, baseUrl: string | undefined): string {
  const facts = description(service)
  const { latest } = service.health
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${SERVICE_NAME}</title>
<style>${new Html(style)}</style>
</head>
<body>
<main>
<h1>${SERVICE_NAME}</h1>
<p>With <a href="https://www.x402.org">x402</a> a program pays for an HTTP call. This service verifies such payments for
sellers and settles them on the Stellar network. It pays the network fees, and never holds a buyer’s money.</p>
${stateOf(latest)}
<h2>Networks</h2>
${networkTable(service)}
<h2>Sell with it</h2>
${sellerSteps(facts, baseUrl)}
<h2>Look further</h2>
<ul>
${links.map(({ path, says }) => html`<li><a href="${fromHere(path)}"><code>${path}</code></a>: ${says}</li>\n`)}</ul>
<p>The folder <code>docs</code> of this service’s source explains how to use and to run it.</p>
</main>
<footer><p class="soft">Version ${facts.version}, x402 version ${facts.x402Version}</p></footer>
</body>
</html>
`.text
}

const links = [
  { path: publicPaths.supported, says: 'what it serves, and the accounts that sign for it' },
  { path: publicPaths.health, says: 'its state in detail' },
  { path: publicPaths.ready, says: 'whether every check passes' },
  { path: publicPaths.openapi, says: 'the whole interface as an OpenAPI document' },
] as const

/** Relative, so that it holds behind a proxy that serves this page under a longer path. */
const fromHere = (path: string): string => path.slice(1)

const sentences = {
  starting: 'It has not read the state of its networks yet.',
  healthy: 'Payments are settled.',
  degraded: 'Some payments may fail or wait.',
} as const satisfies Record<HealthSnapshot['state'], string>

function stateOf({ state, checkedAt, warnings }: HealthSnapshot): Html {
  return html`<p><span class="state ${state}">${state}</span> ${sentences[state]}
<span class="soft">${checkedAt === null ? '' : html`As of <time datetime="${checkedAt}">${utc(checkedAt)}</time>.`}</span></p>
${
  warnings.length === 0
    ? ''
    : html`<ul>
${warnings.map(({ code, message, network }) => html`<li><code>${code}</code>${network === undefined ? '' : ` on ${network}`}: ${message}</li>\n`)}</ul>`
}`
}

/** `2026-09-17 12:00:05 UTC` */
const utc = (iso: string): string => `${iso.slice(0, 19).replace('T', ' ')} UTC`

function networkTable({ networks, keyed, health }: DescribedService): Html {
  const rows = [...networks.values()].map(({ id, policy }) => {
    const seen = health.latest.networks[id]
    const symbols = [...policy.assets.values()].map(({ symbol }) => symbol)
    return html`<tr><th scope="row"><code>${id}</code></th><td>${servedNames(policy).join(', ')}</td>
<td>${symbols.join(', ')}</td><td>${seen?.rpc.latestLedger ?? 'unknown'}</td>
<td>${keyed.has(id) ? 'needed' : 'not needed'}</td></tr>
`
  })
  return html`<div class="wide" role="region" aria-label="Networks" tabindex="0">
<table>
<thead><tr><th scope="col">Network</th><th scope="col">Schemes</th><th scope="col">Assets</th>
<th scope="col">Latest ledger</th><th scope="col">API key</th></tr></thead>
<tbody>
${rows}</tbody>
</table>
</div>`
}

function sellerSteps({ networks }: Description, baseUrl: string | undefined): Html {
  const url = baseUrl ?? 'https://...'
  const network = networks[0]?.network ?? ''
  const where =
    baseUrl === undefined ? html`the address of this page` : html`<code>${baseUrl}</code>`
  return html`<p>Give your x402 server ${where} as its facilitator:</p>
<pre tabindex="0"><code>import { HTTPFacilitatorClient } from '@x402/core/server'

const facilitator = new HTTPFacilitatorClient({
  url: '${url}',
})
const price = {
  scheme: 'exact',
  network: '${network}',
  payTo: 'G...', // your account
  price: '$0.01',
}</code></pre>
<p>Your server sends each payment to <code>POST ${publicPaths.verify}</code> and then to <code>POST ${publicPaths.settle}</code>.
Your account needs a trustline for the asset that it is paid in. Where a network needs an API key, send it as
<code>Authorization: Bearer</code> or <code>X-API-Key</code>, from your server only: a key does not belong in a browser.</p>`
}
