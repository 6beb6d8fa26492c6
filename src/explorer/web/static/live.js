// @ts-check
/**
 * Puts new payments on top of a table. The server sends rows as the page has them, with the mark up to which they go; after a
 * lost connection the browser says the last mark, and the server continues there.
 */

/** After the server refused, the browser does not try again by itself. */
const RETRY_MS = 15_000
/** Screen readers hear of new payments at most this often. */
const ANNOUNCE_MS = 10_000

/** @param {HTMLElement} body */
const start = (body) => {
  const controls = document.querySelector('[data-live-controls]')
  const state = controls?.querySelector('[data-live-state]')
  const dot = controls?.querySelector('.dot')
  const pause = controls?.querySelector('[data-live-pause]')
  const announcer = document.getElementById('announcer')
  if (!(controls instanceof HTMLElement) || !state || !dot || !pause) return
  controls.hidden = false

  const url = new URL(body.dataset.live ?? '', location.href)
  const most = Number(body.dataset.liveMost)
  /** Rows that wait while the table is paused, newest first. @type {Element[]} */
  let waiting = []
  let isPaused = false
  let isConnected = false
  let unannounced = 0
  let isAnnouncing = false

  const show = () => {
    state.textContent = isPaused ? 'Paused' : isConnected ? 'Live' : 'Connecting'
    dot.className = `dot ${isPaused ? '' : isConnected ? 'good' : 'waiting'}`
    pause.textContent = isPaused
      ? `Resume${waiting.length > 0 ? ` (${waiting.length} new)` : ''}`
      : 'Pause'
  }

  const announce = () => {
    if (isAnnouncing) return
    isAnnouncing = true
    setTimeout(() => {
      isAnnouncing = false
      if (announcer) {
        announcer.textContent = unannounced === 1 ? '1 new payment' : `${unannounced} new payments`
      }
      unannounced = 0
    }, ANNOUNCE_MS)
  }

  const rows = () => [...body.querySelectorAll('tr[data-key]')]

  const insert = () => {
    if (waiting.length === 0) return
    body.querySelector('.empty-row')?.remove()
    unannounced += waiting.length
    body.prepend(...waiting)
    waiting = []
    for (const row of rows().slice(most)) row.remove()
    document.dispatchEvent(new Event('rows-added'))
    announce()
  }
  /** @param {string} html rows by the server's own component, newest first */
  const add = (html) => {
    const template = document.createElement('template')
    template.innerHTML = html
    const known = new Set([...rows(), ...waiting].map((row) => row.getAttribute('data-key')))
    const added = [...template.content.querySelectorAll('tr')].filter(
      (row) => !known.has(row.getAttribute('data-key')),
    )
    for (const row of added) row.classList.add('new')
    waiting = [...added, ...waiting].slice(0, most)
    if (!isPaused) insert()
    show()
  }

  const connect = () => {
    const source = new EventSource(url)
    source.addEventListener('open', () => {
      isConnected = true
      show()
    })
    source.addEventListener('payments', (event) => {
      url.searchParams.set('after', event.lastEventId)
      add(JSON.parse(event.data))
    })
    source.addEventListener('mark', (event) => url.searchParams.set('after', event.lastEventId))
    // Too much happened while the connection was lost; the page begins anew.
    source.addEventListener('stale', () => location.reload())
    source.addEventListener('error', () => {
      isConnected = false
      show()
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, RETRY_MS)
    })
    addEventListener('pagehide', () => source.close(), { once: true })
  }

  pause.addEventListener('click', () => {
    isPaused = !isPaused
    if (!isPaused) insert()
    show()
  })
  // A page from the browser's memory has lost its connection.
  addEventListener('pageshow', (event) => {
    if (event.persisted) connect()
  })
  show()
  connect()
}

for (const body of document.querySelectorAll('tbody[data-live]')) {
  if (body instanceof HTMLElement) start(body)
}
