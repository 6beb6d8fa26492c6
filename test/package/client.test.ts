import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, inject, test, vi } from 'vitest'
import { openStore } from '../../src/platform/database/open.ts'
import { type DemoWorld, openDemo } from '../component/buying/mcp/demo-world.ts'
import { contentOf, insert } from '../component/catalog/published-listings.ts'
import { accessibilityProblems } from '../support/browser/accessibility.ts'
import { type PageOptions, startBrowser, type TestBrowser } from '../support/browser/browser.ts'
import { noChromium } from '../support/browser/chromium.ts'
import { openExample } from './support/example.ts'

/* `stellar-x402/client` of the package with the `svc serve` and the explorer of a demo: in Node, and in Chromium on an origin of its own. */

/** Beside those of the demo; more than a page. */
const LISTED = 20
const hostile = '<img src="/gone.png" onerror="document.title = 1">'

const reason = await noChromium()
const opened = new AsyncDisposableStack()
let demo: DemoWorld
let browser: TestBrowser
let pageUrl: string

beforeAll(async () => {
  demo = opened.use(await openDemo())
  await listResources()
})
afterAll(() => opened.disposeAsync())

async function listResources(): Promise<void> {
  const { DATABASE_URL: url = '' } = demo.state.environment
  await using store = await openStore({ kind: 'postgres', url })
  for (let at = 0; at < LISTED; at++) await insert(store, contentOf(`gauge${at}`))
  await insert(store, contentOf('zither', { serviceName: hostile, description: hostile }))
  const search = `${demo.state.facilitatorUrl}/discovery/search?query=zither`
  await vi.waitFor(
    async () => {
      expect(await (await fetch(search)).text()).toContain('https://zither.example/v1/zither')
    },
    { timeout: 120_000 },
  )
}

async function serveBuilt(env: Readonly<Record<string, string>>): Promise<string> {
  const example = opened.use(await openExample('marketplace-page'))
  const { code, output } = await example.run('build', { env })
  expect(code, output).toBe(0)
  const args = ['--host', '127.0.0.1', '--port', '0']
  const { match } = await example.start('preview', /http:\/\/127\.0\.0\.1:\d+/, { args })
  return match[0]
}

const visit = (options: PageOptions, see: Parameters<TestBrowser['withPage']>[1]) =>
  browser.withPage(options, async (page) => {
    await page.goto(pageUrl)
    await page.locator('.card').first().waitFor()
    await see(page)
  })

test('the program of docs/package.md reads a catalog and its payments', async () => {
  const page = await readFile('docs/package.md', 'utf8')
  const [, code = ''] = /```js\n(import \{ ApiError[\s\S]*?)```/.exec(page) ?? []
  const { facilitatorUrl: FACILITATOR_URL, explorerUrl: EXPLORER_URL, paidUrl } = demo.state
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', code],
    { cwd: inject('installed').folder, env: { FACILITATOR_URL, EXPLORER_URL } },
  )
  expect(stderr).toBe('')
  expect(stdout).toContain(`${paidUrl}: 2 payments\n`)
})

describe('the page of a marketplace', () => {
  beforeAll(async () => {
    if (reason !== undefined) return
    const { facilitatorUrl, explorerUrl } = demo.state
    pageUrl = await serveBuilt({
      VITE_FACILITATOR_URL: facilitatorUrl,
      VITE_EXPLORER_URL: explorerUrl,
    })
    browser = opened.use(await startBrowser())
  })
  beforeEach(({ skip }) => skip(reason !== undefined, reason))

  test('lists every resource, a page at a time, by keyboard', () =>
    visit({}, async (page) => {
      const cards = page.locator('.card')
      await expect.poll(() => cards.count()).toBe(12)
      const more = page.getByRole('button', { name: 'Show more' })
      await more.focus()
      await page.keyboard.press('Enter')
      await expect.poll(() => cards.count()).toBeGreaterThan(LISTED)
      expect(await more.isVisible()).toBe(false)
      expect(await page.locator('#status').textContent()).toMatch(/^(\d+) of \1 resources$/)
      expect(await page.evaluate('document.activeElement.tagName')).toBe('H2')
    }))

  test('searches while one types, and shows the words of a seller as text', () =>
    visit({}, async (page) => {
      await page.getByLabel('What do you need?').pressSequentially('zither')
      const name = page.locator('.card h2').first()
      await expect.poll(() => name.textContent()).toBe(hostile)
      expect(await page.locator('.card img').count()).toBe(0)
      expect(await page.title()).toBe('Paid resources')
      expect(page.url()).toContain('?query=zither')
      await page.reload()
      await expect.poll(() => name.textContent()).toBe(hostile)
    }))

  test('shows the price, the network, and what the seller was paid', () =>
    visit({}, async (page) => {
      const { pathname } = new URL(demo.state.paidUrl)
      const card = page.locator('.card', { hasText: pathname }).first()
      expect(await card.locator('dl').innerText()).toMatch(
        /Price\s+0\.01 USDC\s+Network\s+Stellar testnet\s+Paid\s+1 time, last today/,
      )
      await card.getByText('Activity of the seller').press('Enter')
      await card.getByText('2 payments from 1 buyer, last today').waitFor()
      await card.getByRole('img', { name: '2 payments in 30 days, at most 2 a day' }).waitFor()
    }))

  test('says what is wrong, and tries again', () =>
    visit({ expectedProblems: ['503'] }, async (page) => {
      const search = '**/discovery/search*'
      const error = { code: 'service_unavailable', reason: 'the store is away', retryable: true }
      const headers = { 'access-control-allow-origin': '*' }
      await page.route(search, (route) => route.fulfill({ status: 503, headers, json: { error } }))
      await page.getByLabel('What do you need?').fill('zither')
      await page.getByText('The catalog cannot be read: the store is away.').waitFor()
      await page.unroute(search)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.locator('.card').first().waitFor()
    }))

  test.each(
    ([1_280, 390] as const).flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({ width, colorScheme })),
    ),
  )('is accessible, $width pixels wide and $colorScheme', (options) =>
    visit(options, async (page) => {
      await page.getByText('Activity of the seller').first().press('Enter')
      await page.locator('.chart').waitFor()
      expect(await accessibilityProblems(page)).toEqual([])
      const overflow = 'document.documentElement.scrollWidth - innerWidth'
      expect(await page.evaluate(overflow)).toBeLessThanOrEqual(0)
    }),
  )
})
