/* Lists the resources of a facilitator, and searches while one types. */
import { ApiError, explorerClient, facilitatorClient } from 'stellar-x402/client'
import { resourceCard } from './card.js'
import { networkName } from './format.js'

const PAGE_SIZE = 12
/** After the last key. */
const PAUSE_MS = 250
const TIME_LIMIT_MS = 10_000

const { VITE_FACILITATOR_URL = 'http://127.0.0.1:8080', VITE_EXPLORER_URL } = import.meta.env

/** A time limit for each request: a signal of the call would count for all pages together. */
const fetchInTime = (input, init) =>
  fetch(input, {
    ...init,
    signal: AbortSignal.any([init.signal, AbortSignal.timeout(TIME_LIMIT_MS)]),
  })

const facilitator = facilitatorClient({ url: VITE_FACILITATOR_URL, fetch: fetchInTime })
const explorer = VITE_EXPLORER_URL && explorerClient({ url: VITE_EXPLORER_URL, fetch: fetchInTime })

const form = document.querySelector('form')
const { query, network } = form.elements
const status = document.querySelector('#status')
const list = document.querySelector('#resources')
const moreButton = document.querySelector('#more')

let shown = new AbortController()
let pages

/** Starts anew with what the form says; whatever was under way ends. */
async function show() {
  shown.abort()
  shown = new AbortController()
  const { signal } = shown
  const words = query.value.trim()
  const filters = { network: network.value || undefined, limit: PAGE_SIZE }
  pages = words
    ? facilitator.search.pages({ query: words, ...filters }, { signal })
    : facilitator.resources.pages(filters, { signal })
  remember(words)
  list.setAttribute('aria-busy', 'true')
  const cards = await nextCards(signal)
  if (!cards) return
  list.replaceChildren(...cards)
}

async function showMore() {
  moreButton.disabled = true
  const cards = await nextCards(shown.signal)
  moreButton.disabled = false
  if (!cards) return
  list.append(...cards)
  // The button has moved: a reader goes on with the first new card.
  cards[0]?.querySelector('h2').focus()
}

/** Undefined when the page failed, or is no longer wanted. */
async function nextCards(signal) {
  try {
    const { value: page } = await pages.next()
    signal.throwIfAborted()
    const items = page.resources ?? page.items
    moreButton.hidden = !hasMore(page, items)
    say(sentenceOf(page, items))
    return items.map((item) => resourceCard(item, explorer))
  } catch (error) {
    if (signal.aborted) return undefined
    if (!(error instanceof ApiError)) throw error
    moreButton.hidden = true
    list.replaceChildren()
    say(`The catalog cannot be read: ${error.message}.`, error.retryable)
    return undefined
  } finally {
    if (!signal.aborted) list.removeAttribute('aria-busy')
  }
}

function hasMore({ pagination: { cursor, offset, total } }, items) {
  return total === undefined ? cursor !== null : offset + items.length < total
}

function sentenceOf({ pagination: { cursor, total, offset = 0 }, svc }, items) {
  if (items.length === 0) return 'Nothing fits. Try other words.'
  if (total !== undefined) return `${offset + items.length} of ${total} resources`
  if (svc?.lowConfidence) return 'These may not be what you asked for'
  return cursor === null ? 'All that fits, best first' : 'Best first'
}

function say(sentence, canRetry = false) {
  status.textContent = sentence
  if (!canRetry) return
  const button = document.createElement('button')
  button.type = 'button'
  button.textContent = 'Try again'
  button.addEventListener('click', show)
  status.append(' ', button)
}

/** So that a reload, or a copied address, shows the same. */
function remember(words) {
  const address = new URL(location.href)
  address.search = words && `?${new URLSearchParams({ query: words })}`
  history.replaceState(null, '', address)
}

async function fillNetworks() {
  const { kinds } = await facilitator.supported()
  for (const each of new Set(kinds.map((kind) => kind.network))) {
    network.append(new Option(networkName(each), each))
  }
}

let typing
query.addEventListener('input', () => {
  clearTimeout(typing)
  typing = setTimeout(show, PAUSE_MS)
})
network.addEventListener('change', show)
form.addEventListener('submit', async (event) => {
  event.preventDefault()
  clearTimeout(typing)
  await show()
})
moreButton.addEventListener('click', showMore)

query.value = new URLSearchParams(location.search).get('query') ?? ''
// Without an answer the list says why; the filter only stays empty.
fillNetworks().catch(() => {})
await show()
