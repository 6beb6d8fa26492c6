import { h, type VNode } from 'preact'
import type { CatalogListing } from '../../../../../buying/client/catalog-types.ts'
import { card } from '../../../components/card.ts'
import { codeBlock } from '../../../components/code-block.ts'
import { visibleText } from '../../../format/visible-text.ts'
import { inputOf } from '../schema/declared.ts'
import { memberOf } from '../schema/json.ts'
import { asciiJson, exampleCall } from './call.ts'
import { purchaseOf } from './purchase.ts'
import { callSnippets, type Snippet } from './snippets.ts'
import { typescriptOfTool } from './typescript.ts'

/** Texts to copy that pay for a listing. */
export function payCard(listing: CatalogListing, facilitatorUrl: string): VNode {
  const { notes, snippets } = waysToPay(listing, facilitatorUrl)
  return card(
    { title: 'How to pay', id: 'pay' },
    notes.map((note) => h('p', { key: note, class: 'soft' }, note)),
    h(
      'div',
      { class: 'snippets' },
      snippets.map(({ id, title, note, code }) =>
        h(
          'div',
          { key: id, class: 'snippet' },
          codeBlock({ id, title, code }),
          h('p', { class: 'soft' }, note),
        ),
      ),
    ),
  )
}

interface Ways {
  readonly notes: readonly string[]
  readonly snippets: readonly Snippet[]
}

function waysToPay(listing: CatalogListing, facilitatorUrl: string): Ways {
  const purchase = purchaseOf(listing)
  if (!purchase) {
    return none('The price is in an asset whose decimals are not known yet. Ask the seller.')
  }
  const call = listing.type === 'http' ? exampleCall(listing) : undefined
  if (call) {
    const names = call.open.map((name) => `:${visibleText(name)}`).join(', ')
    const notes = names === '' ? [] : [`Put values in place of ${names} in the address.`]
    return { notes, snippets: callSnippets(call, purchase, facilitatorUrl) }
  }
  const tool = toolOf(listing)
  if (!tool) return none('This address cannot be called over HTTP. Ask the seller how to reach it.')
  return {
    notes: ['svc pay and svc mcp pay for HTTP calls alone; a program pays for a tool.'],
    snippets: [
      {
        id: 'pay-typescript',
        title: 'TypeScript',
        note: 'With the stock x402 packages. Set BUYER_SECRET to the seed of the payer.',
        code: typescriptOfTool(tool, purchase),
      },
      {
        id: 'pay-mcp',
        title: 'MCP configuration',
        note: 'The host of an agent then lists the tools of this server. It is asked for the price at each call.',
        code: `${asciiJson({ mcpServers: { seller: { url: tool.url } } }, 2)}\n`,
      },
    ],
  }
}

const none = (note: string): Ways => ({ notes: [note], snippets: [] })

function toolOf({ type, resource, svc, extensions }: CatalogListing) {
  const url = URL.parse(resource)
  if (type !== 'mcp' || svc.toolName === undefined || !url || !/^https?:$/.test(url.protocol)) {
    return undefined
  }
  const example = memberOf(inputOf(extensions.bazaar), 'example') ?? {}
  return { url: url.href, name: svc.toolName, arguments: example }
}
