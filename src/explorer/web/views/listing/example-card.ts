import { h, type VNode } from 'preact'
import type { CatalogListing } from '../../../../buying/client/catalog-types.ts'
import { cleanBlock, cutTo } from '../../../../platform/core/text/hostile-text.ts'
import { card } from '../../components/card.ts'
import { codeBlock } from '../../components/code-block.ts'
import { exampleCall } from './pay/call.ts'
import { exampleAnswer, inputOf } from './schema/declared.ts'
import { memberOf } from './schema/json.ts'

/** The rest of a long example is in the JSON of the listing. */
const MAX_LENGTH = 4_000

/** A request as the seller declared it, and its answer. */
export const exampleCard = (listing: CatalogListing): VNode =>
  card(
    { title: 'Example', id: 'example' },
    h(
      'div',
      { class: 'examples' },
      codeBlock({ id: 'example-request', title: 'Request', code: requestOf(listing) }),
      answerBlock(exampleAnswer(listing.extensions.bazaar)),
    ),
  )

const answerBlock = (answer: unknown): VNode =>
  answer === undefined
    ? h('p', { class: 'soft' }, 'The seller declares no example of the answer.')
    : codeBlock({ id: 'example-answer', title: 'Answer', code: shownJson(answer) })

function requestOf(listing: CatalogListing): string {
  const call = exampleCall(listing)
  if (listing.type === 'mcp' || !call) {
    const example = memberOf(inputOf(listing.extensions.bazaar), 'example') ?? {}
    return shownJson({ name: listing.svc.toolName, arguments: example })
  }
  const { body } = inputOf(listing.extensions.bazaar)
  const line = `${call.method} ${call.url}`
  if (body === undefined) return line
  const head = call.body ? `${line}\ncontent-type: ${call.body.type}` : line
  return `${head}\n\n${typeof body === 'string' ? shownText(body) : shownJson(body)}`
}

const shownJson = (value: unknown): string =>
  shownText(typeof value === 'string' ? value : JSON.stringify(value, null, 2))

function shownText(text: string): string {
  const clean = cleanBlock(text)
  return clean.length > MAX_LENGTH ? `${cutTo(MAX_LENGTH, clean)}…` : clean
}
