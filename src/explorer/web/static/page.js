// @ts-check
/** The script of every page: theme, copying, times, and the key of the search field. */

const root = document.documentElement
const announcer = document.getElementById('announcer')

/** @param {string} text said once by screen readers, without moving the focus */
const announce = (text) => {
  if (announcer) announcer.textContent = text
}

/** @param {string} key @param {string} value */
const remember = (key, value) => {
  try {
    localStorage.setItem(key, value)
  } catch {
    // Storage may be forbidden; the choice then lasts as long as the page.
  }
}

const isDark = () =>
  (root.dataset.theme ??
    (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')) === 'dark'

for (const button of document.querySelectorAll('[data-theme-toggle]')) {
  if (!(button instanceof HTMLElement)) continue
  button.hidden = false
  button.addEventListener('click', () => {
    root.dataset.theme = isDark() ? 'light' : 'dark'
    remember('theme', root.dataset.theme)
    announce(`${isDark() ? 'Dark' : 'Light'} theme`)
    document.dispatchEvent(new Event('theme-change'))
  })
}
matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () =>
  document.dispatchEvent(new Event('theme-change')),
)

const steps = [
  { seconds: 86_400, unit: 'd' },
  { seconds: 3_600, unit: 'h' },
  { seconds: 60, unit: 'min' },
  { seconds: 1, unit: 's' },
]

/** By the rule of the server's pages. @param {string} iso */
const relative = (iso) => {
  const seconds = Math.floor((Date.now() - Date.parse(iso)) / 1_000)
  if (seconds >= 30 * 86_400) return iso.slice(0, 10)
  const step = steps.find((each) => seconds >= each.seconds)
  return step === undefined ? 'now' : `${Math.floor(seconds / step.seconds)} ${step.unit} ago`
}

/** @param {string} iso */
const exact = (iso) => `${iso.slice(0, 19).replace('T', ' ')} UTC`

let showsExact = false
try {
  showsExact = localStorage.getItem('times') === 'exact'
} catch {
  // Storage may be forbidden; times are then relative.
}

const showTimes = () => {
  for (const time of document.querySelectorAll('time[data-relative]')) {
    const iso = time.getAttribute('datetime') ?? ''
    const text = showsExact ? exact(iso) : relative(iso)
    if (time.textContent !== text) time.textContent = text
  }
}
const TIMES_MS = 1_000
setInterval(showTimes, TIMES_MS)

/** Shows what works only with a script, in the page and in rows that came later. @param {ParentNode} part */
const enhance = (part) => {
  for (const button of part.querySelectorAll('[data-copy], [data-time-switch]')) {
    if (button instanceof HTMLElement) button.hidden = false
  }
  for (const plain of part.querySelectorAll('[data-without-script]')) plain.remove()
  showTimes()
}
enhance(document)
document.addEventListener('rows-added', () => enhance(document))

const COPIED_MS = 1_500

/** @param {HTMLElement} button */
const copy = async (button) => {
  try {
    await navigator.clipboard.writeText(button.dataset.copy ?? '')
    announce('Copied')
    button.classList.add('done')
    setTimeout(() => button.classList.remove('done'), COPIED_MS)
  } catch {
    announce('The browser did not allow copying')
  }
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null
  if (!button) return
  if (button.dataset.copy !== undefined) void copy(button)
  if (button.dataset.timeSwitch !== undefined) {
    showsExact = !showsExact
    remember('times', showsExact ? 'exact' : 'relative')
    root.classList.toggle('exact-times', showsExact)
    showTimes()
    announce(showsExact ? 'Exact times' : 'Relative times')
  }
})
root.classList.toggle('exact-times', showsExact)

const search = document.getElementById('search')
document.addEventListener('keydown', (event) => {
  const { target } = event
  const isWriting = target instanceof Element && target.closest('input, textarea, select') !== null
  if (event.key !== '/' || isWriting || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  search?.focus()
})
