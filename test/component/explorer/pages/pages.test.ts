import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { PaymentRow } from '../../../../src/explorer/store/ingest/write-ledgers.ts'
import { accessibilityProblems, colorRules } from '../../../support/browser/accessibility.ts'
import {
  type PageOptions,
  startBrowser,
  type TestBrowser,
} from '../../../support/browser/browser.ts'
import { noChromium } from '../../../support/browser/chromium.ts'
import { accountOf, txHashOf } from '../../../support/explorer/addresses.ts'
import type { Market } from '../../../support/explorer/believable-market.ts'
import { hostileTexts } from '../../../support/explorer/payment-records.ts'
import { type MarketServer, startMarketServer } from './market-server.ts'

const PAYMENTS = 130
const reason = await noChromium()

let server: MarketServer
let browser: TestBrowser
const resources = new AsyncDisposableStack()

beforeAll(async () => {
  if (reason !== undefined) return
  browser = resources.use(await startBrowser())
  server = resources.use(
    await startMarketServer({ payments: PAYMENTS, hasCatalog: true, withChanges }),
  )
})
afterAll(() => resources.disposeAsync())
beforeEach(({ skip }) => skip(reason !== undefined, reason))

/** Some services have names that others chose to break a page. */
const withChanges = (market: Market): Market => ({
  ...market,
  services: market.services.map((service, index) => {
    const hostile = hostileTexts[index]?.replaceAll('\0', '')
    return index % 2 === 1 && hostile !== undefined ? { ...service, serviceName: hostile } : service
  }),
})

const open = <T>(path: string, visit: (page: Page) => Promise<T>, options: PageOptions = {}) =>
  browser.withPage(options, async (page) => {
    await page.goto(server.baseUrl + path)
    return visit(page)
  })

const first = (): PaymentRow => server.market.payments.at(-1)!
const isMissing = { expectedProblems: ['the server responded with a status of 404'] }

/** Each page, with a text that shows that it has its content. */
const pages: Readonly<
  Record<string, { path: () => string; shows: () => string; options?: PageOptions }>
> = {
  overview: { path: () => '/ui/', shows: () => 'x402 payments on Stellar' },
  catalog: { path: () => '/ui/catalog', shows: () => 'Settlements' },
  'question to the catalog': {
    path: () => '/ui/catalog?q=weather&trust=settled&maxPrice=1',
    shows: () => 'Tide Weather',
  },
  'question without an answer': {
    path: () => '/ui/catalog?q=zeppelin',
    shows: () => 'Nothing in the catalog answers this',
  },
  listing: {
    path: () => `/ui/catalog/${server.listings[0]}`,
    shows: () => 'Latitude in degrees',
  },
  'listing of a tool': {
    path: () => `/ui/catalog/${server.listings[4]}`,
    shows: () => 'What to look up',
  },
  payments: { path: () => '/ui/payments', shows: () => first().txHash },
  payment: { path: () => `/ui/payments/${first().txHash}`, shows: () => first().buyer },
  'unknown payment': {
    path: () => `/ui/payments/${'0'.repeat(64)}`,
    shows: () => 'may not have read its ledger yet',
    options: isMissing,
  },
  sellers: { path: () => '/ui/sellers', shows: () => first().seller },
  seller: { path: () => `/ui/sellers/${first().seller}`, shows: () => first().seller },
  facilitators: { path: () => '/ui/facilitators', shows: () => 'Northwind Pay' },
  facilitator: { path: () => '/ui/facilitators/northwind', shows: () => 'Northwind Pay' },
  asset: { path: () => `/ui/asset/${first().asset}`, shows: () => first().asset },
  address: { path: () => `/ui/address/${first().buyer}`, shows: () => first().buyer },
  'search that finds several': { path: () => '/ui/find?q=a', shows: () => 'Sellers named' },
  'search that finds nothing': {
    path: () => '/ui/find?q=nothing+like+it',
    shows: () => 'The search finds:',
    options: isMissing,
  },
  'missing page': { path: () => '/ui/nothing', shows: () => 'no such page', options: isMissing },
}

const widths = [1_280, 390]
/** Themes differ in colors only, so the second needs no other rules. */
const themes = [
  ['light', undefined],
  ['dark', colorRules],
] as const

/** Rows of a table are alike, and each takes as long to check as the rest of its page. */
const keepFewRows = `for (const row of document.querySelectorAll('tbody tr:nth-child(n + 5)')) row.remove()`

/** Buttons, and links that stand alone, of less than 24 px (WCAG 2.2, 2.5.8); half a pixel may be lost to rounding. */
const smallTargets = `[...document.querySelectorAll('button, summary, .data a, .stat a, nav a, .actions a')]
  .map((target) => ({ target, box: target.getBoundingClientRect() }))
  .filter(({ target, box }) => box.width > 0 && !target.closest('.unseen, .skip')
    && (box.width < 23.5 || box.height < 23.5))
  .map(({ target, box }) => target.outerHTML.slice(0, 160) + ' ' + box.width + ' x ' + box.height)`

describe.each(Object.entries(pages))('the page %s', (_name, { path, shows, options }) => {
  test('is accessible, fits its window in every width and theme, and logs no error', async () => {
    await open(
      path(),
      async (page) => {
        expect(await page.locator('h1').count()).toBe(1)
        expect(await page.locator('main').textContent()).toContain(shows())
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          // The script gives charts their new size after the browser has laid out the page.
          const needed = () => page.evaluate<number>('document.documentElement.scrollWidth')
          await expect.poll(needed, { timeout: 120_000 }).toBeLessThanOrEqual(width)
        }
        await page.evaluate(keepFewRows)
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          for (const [colorScheme, rules] of themes) {
            await page.emulateMedia({ colorScheme })
            expect(await accessibilityProblems(page, rules), `${width} ${colorScheme}`).toEqual([])
          }
        }
      },
      options,
    )
  })

  test('has buttons, and links of tables and figures, that a finger can hit', async () => {
    await open(
      path(),
      async (page) => {
        for (const width of widths) {
          await page.setViewportSize({ width, height: 900 })
          expect(await page.evaluate<string[]>(smallTargets), `${width}`).toEqual([])
        }
      },
      options,
    )
  })

  test('says the same without a script', async () => {
    await open(
      path(),
      async (page) => {
        expect(await page.locator('main').textContent()).toContain(shows())
        expect(await page.locator('main button:visible').count()).toBe(
          await page.locator('main form button:visible').count(),
        )
      },
      { ...options, javaScript: false },
    )
  })
})

describe('payments', () => {
  const hashesOf = (page: Page) =>
    page
      .locator('tbody tr[data-key]')
      .evaluateAll((rows) => rows.map((row) => row.getAttribute('data-key')?.split('/')[1]))

  test('say from whom on one line, where the window is narrow', async () => {
    await open('/ui/payments', async (page) => {
      await page.setViewportSize({ width: 390, height: 900 })
      const heights = await page
        .locator('.payments td.buyer')
        .evaluateAll((cells) => cells.map((cell) => cell.getBoundingClientRect().height))
      expect(Math.max(...heights)).toBeLessThan(32)
    })
  })

  test('are all reached by paging, each once, without a script', async () => {
    const seen = await open(
      '/ui/payments',
      async (page) => {
        const hashes = await hashesOf(page)
        const older = page.getByRole('link', { name: 'Older payments' })
        while ((await older.count()) > 0) {
          await older.click()
          hashes.push(...(await hashesOf(page)))
        }
        return hashes
      },
      { javaScript: false },
    )
    expect(seen).toHaveLength(PAYMENTS)
    expect(new Set(seen)).toEqual(new Set(server.market.payments.map(({ txHash }) => txHash)))
  })

  test('are filtered with the form, by keyboard only', async () => {
    const shown = await open('/ui/payments', async (page) => {
      await page.locator('summary', { hasText: 'Filter' }).focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
      await page.keyboard.type(first().seller)
      for (let field = 0; field < 5; field++) await page.keyboard.press('Tab')
      await page.keyboard.press('u')
      await page.locator('.filters form').getByRole('button').press('Enter')
      await page.waitForURL(/scheme=upto/)
      return hashesOf(page)
    })
    const wanted = server.market.payments.filter(
      ({ scheme, seller }) => scheme === 'upto' && seller === first().seller,
    )
    expect(new Set(shown)).toEqual(new Set(wanted.map(({ txHash }) => txHash)))
  })

  test('appear by themselves, also those that were written while the server was away', async () => {
    const expectedProblems = ['ERR_CONNECTION_REFUSED', 'ERR_INCOMPLETE_CHUNKED', '503']
    const name = (index: number) => `live ${index}`
    const write = (index: number) => {
      const { ledger, closedAt, ...same } = first()
      const payment = { ...same, ledger: ledger + index, closedAt: closedAt + index }
      return server.write([{ ...payment, txHash: txHashOf(name(index)) }])
    }
    const rowOf = (page: Page, index: number) =>
      page.locator(`tr[data-key$="${txHashOf(name(index))}"]`)
    await open(
      '/ui/payments',
      async (page) => {
        await page.evaluate('window.isSamePage = true')
        await page.getByText('Live', { exact: true }).waitFor()
        await write(1)
        await rowOf(page, 1).waitFor()
        await server.stop()
        await write(2)
        await write(3)
        await server.start()
        await rowOf(page, 3).waitFor()
        await write(4)
        await rowOf(page, 4).waitFor()
        const hashes = await hashesOf(page)
        expect(hashes.slice(0, 4)).toEqual([4, 3, 2, 1].map((index) => txHashOf(name(index))))
        expect(new Set(hashes).size).toBe(hashes.length)
        expect(await page.evaluate('window.isSamePage')).toBe(true)
      },
      { expectedProblems },
    )
  })
})

describe('the keyboard', () => {
  test('skips to the content, reaches the search, and follows it', async () => {
    await open('/ui/', async (page) => {
      await page.keyboard.press('Tab')
      expect(await page.locator(':focus').textContent()).toBe('Skip to content')
      await page.keyboard.press('Enter')
      expect(await page.locator(':focus').getAttribute('id')).toBe('content')
      await page.keyboard.press('/')
      expect(await page.locator(':focus').getAttribute('id')).toBe('search')
      await page.keyboard.type(first().txHash.toUpperCase())
      await page.keyboard.press('Enter')
      await page.waitForURL(`**/ui/payments/${first().txHash}`)
    })
  })

  test('pages on', async () => {
    await open('/ui/payments', async (page) => {
      await page.getByRole('link', { name: 'Older payments' }).focus()
      await page.keyboard.press('Enter')
      await page.waitForURL(/cursor=/)
    })
  })
})

describe('a page', () => {
  test('copies exact values', async () => {
    await open(`/ui/payments/${first().txHash}`, async (page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await page.getByRole('button', { name: 'Copy amount in base units' }).first().click()
      await expect
        .poll(() => page.evaluate('navigator.clipboard.readText()'))
        .toBe(String(first().amount))
    })
  })

  test('runs no script and loads nothing that others put into it', async () => {
    await open(
      '/ui/payments',
      async (page) => {
        await page.evaluate(`
          document.body.insertAdjacentHTML('beforeend', '<img src="https://example.com/x.png" onerror="window.ran = 1">')
          const script = document.createElement('script')
          script.textContent = 'window.ran = 2'
          document.body.append(script)`)
        expect(await page.evaluate('window.ran')).toBeUndefined()
      },
      { expectedProblems: ['Content Security Policy', 'https://example.com/x.png'] },
    )
  })

  test('shows hostile names as text', async () => {
    await open('/ui/sellers', async (page) => {
      const text = await page.locator('main').textContent()
      expect(text).toContain('"><img src=x onerror=alert(1)>')
      expect(await page.locator('main img').count()).toBe(0)
    })
  })

  test('of an address that was never seen is not found', async () => {
    const answer = await fetch(`${server.baseUrl}/ui/address/${accountOf('nobody')}`)
    expect(answer.status).toBe(404)
  })
})
