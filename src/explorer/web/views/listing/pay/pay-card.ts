import { h, type VNode } from 'preact'
import type { CatalogListing } from '../../../../../buying/client/catalog-types.ts'
import { card } from '../../../components/card.ts'
import { codeBlock } from '../../../components/code-block.ts'
import { visibleText } from '../../../format/visible-text.ts'
import { inputOf } from '../schema/declared.ts'
import { memberOf } from '../schema/json.ts'
import { exampleCall } from './call.ts'
import { purchaseOf } from './purchase.ts'
import { callSnippets, type Snippet } from './snippets.ts'
import { type PaidTool, toolSnippets } from './tool-snippets.ts'

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
  return { notes: [], snippets: toolSnippets(tool, purchase, facilitatorUrl) }
}

const none = (note: string): Ways => ({ notes: [note], snippets: [] })

function toolOf({ type, resource, svc, extensions }: CatalogListing): PaidTool | undefined {
  const url = URL.parse(resource)
  if (type !== 'mcp' || svc.toolName === undefined || !url || !/^https?:$/.test(url.protocol)) {
    return undefined
  }
  const example = memberOf(inputOf(extensions.bazaar), 'example') ?? {}
  return { url: url.href, name: svc.toolName, arguments: example }
}
