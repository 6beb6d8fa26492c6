import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { accessibilityProblems, colorRules } from '../../../support/browser/accessibility.ts'
import { startBrowser, type TestBrowser } from '../../../support/browser/browser.ts'
import { noChromium } from '../../../support/browser/chromium.ts'

const pages: Readonly<Record<string, string>> = {
  '/quiet': '<title>Quiet</title><main><h1>Quiet</h1></main>',
  '/logs': '<script>console.error("an error that it logs")</script>',
  '/throws': '<script>throw new Error("an error that it throws")</script>',
  '/misses': '<script src="/gone.js"></script>',
  '/external': '<img alt="" src="http://192.0.2.1/pixel.png">',
  '/named': '<img alt="" src="https://example.com/pixel.png">',
}

describe('a page of the test browser', async () => {
  const reason = await noChromium()
  const resources = new AsyncDisposableStack()
  let browser: TestBrowser
  let baseUrl: string

  beforeAll(async () => {
    if (reason !== undefined) return
    browser = resources.use(await startBrowser())
    const server = createServer(({ url = '' }, response) => {
      const page = url === '/favicon.ico' ? '' : pages[url]
      response.statusCode = page === undefined ? 404 : 200
      response.setHeader('content-type', 'text/html').end(page && `<html lang="en">${page}`)
    })
    resources.defer(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => resources.disposeAsync())
  beforeEach(({ skip }) => skip(reason !== undefined, reason))

  const visit = (path: string, expectedProblems: readonly string[] = []) =>
    browser.withPage({ expectedProblems }, async (page) => {
      await page.goto(baseUrl + path)
      return page.title()
    })

  test('is shown', async () => {
    expect(await visit('/quiet')).toBe('Quiet')
  })

  test.each([
    ['/logs', 'console: an error that it logs'],
    ['/throws', 'an error that it throws'],
    ['/misses', '404'],
    ['/external', 'external request: http://192.0.2.1/pixel.png'],
    ['/named', 'external request: https://example.com/pixel.png'],
  ])('fails its test when %s has a problem', async (path, problem) => {
    await expect(visit(path)).rejects.toThrow(problem)
  })

  test('may have the problems that its test expects', async () => {
    await expect(visit('/logs', ['that it logs'])).resolves.toBe('')
    await expect(visit('/throws', ['that it logs'])).rejects.toThrow('that it throws')
  })

  test('is checked for accessibility', async () => {
    const problems = await browser.withPage({}, async (page) => {
      await page.goto(`${baseUrl}/quiet`)
      expect(await accessibilityProblems(page)).toEqual([])
      await page.setContent('<html lang="en"><title>t</title><main><h1>t</h1><img src="data:,">')
      return accessibilityProblems(page)
    })
    expect(problems.join()).toContain('image-alt')
  })

  test('is checked for colors alone, in each theme', async () => {
    const style = '@media (prefers-color-scheme: dark) { p { color: #777; background: #888 } }'
    const page = `<html lang="en"><title>t</title><style>${style}</style><p>text</p><img src="data:,">`
    const [light, dark] = await browser.withPage({}, async (tab) => {
      await tab.setContent(page)
      await tab.emulateMedia({ colorScheme: 'light' })
      const before = await accessibilityProblems(tab, colorRules)
      await tab.emulateMedia({ colorScheme: 'dark' })
      return [before, await accessibilityProblems(tab, colorRules)]
    })
    expect(light).toEqual([])
    expect(dark).toEqual([expect.stringMatching(/^color-contrast/)])
  })
})
