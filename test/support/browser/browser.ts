/** A headless Chromium for the tests of one file, and pages in it that report whatever goes wrong. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { findChromium } from './chromium.ts'

export interface PageOptions {
  /** Of the window, in CSS pixels. @default 1280 */
  readonly width?: number
  /** @default 'light' */
  readonly colorScheme?: 'light' | 'dark'
  /** @default true */
  readonly javaScript?: boolean
  /** Texts of problems that the test causes on purpose; a problem that contains one of them is not reported. */
  readonly expectedProblems?: readonly string[]
}

export interface TestBrowser extends AsyncDisposable {
  /**
   * Opens a page in a session of its own, without cookies or cache, and closes it after `visit`. Throws when the page
   * logged an error, threw one, failed to load something or asked a host other than this machine.
   */
  withPage<T>(options: PageOptions, visit: (page: Page) => Promise<T>): Promise<T>
}

/** Nothing may take longer on a busy machine; a test that waits in vain says for what. */
const TIMEOUT_MS = 150_000
const HEIGHT = 900

/** No name is resolved and no address is connected to but this machine's. */
const onlyThisMachine =
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost'

/** Throws when this machine cannot run Chromium; `noChromium` says so before. */
export async function startBrowser(): Promise<TestBrowser> {
  const found = await findChromium()
  if ('reason' in found) throw new Error(found.reason)
  const browser = await chromium.launch({
    executablePath: found.program,
    env: { ...found.environment },
    // Pages are the same whatever the machine's fonts settings and screen are.
    args: [onlyThisMachine, '--font-render-hinting=none', '--force-color-profile=srgb'],
    timeout: 240_000,
  })
  return {
    withPage: (options, visit) => withPage(browser, options, visit),
    [Symbol.asyncDispose]: () => browser.close(),
  }
}

async function withPage<T>(
  browser: Browser,
  options: PageOptions,
  visit: (page: Page) => Promise<T>,
): Promise<T> {
  const context = await browser.newContext(contextOf(options))
  const problems: string[] = []
  try {
    context.setDefaultTimeout(TIMEOUT_MS)
    const page = await context.newPage()
    collectProblems(page, problems)
    const result = await visit(page).catch((error: unknown) => {
      throw problems.length === 0 ? error : new Error(reportOf(problems), { cause: error })
    })
    const unexpected = problems.filter(
      (problem) => !options.expectedProblems?.some((text) => problem.includes(text)),
    )
    if (unexpected.length > 0) throw new Error(reportOf(unexpected))
    return result
  } finally {
    await context.close()
  }
}

const contextOf = (options: PageOptions): BrowserContextOptions => ({
  viewport: { width: options.width ?? 1_280, height: HEIGHT },
  colorScheme: options.colorScheme ?? 'light',
  javaScriptEnabled: options.javaScript ?? true,
  locale: 'en-US',
  timezoneId: 'UTC',
  reducedMotion: 'reduce',
})

const reportOf = (problems: readonly string[]): string =>
  `the page had problems:\n${problems.map((problem) => `- ${problem}`).join('\n')}`

function collectProblems(page: Page, problems: string[]): void {
  page.on('pageerror', (error) => problems.push(`error: ${error.stack ?? error.message}`))
  page.on('console', (message) => {
    if (message.type() !== 'error' && message.type() !== 'warning') return
    problems.push(`console: ${message.text()} (${message.location().url})`)
  })
  page.on('requestfailed', (request) => {
    const { errorText } = request.failure() ?? {}
    // The browser ends an event stream, or a load that a click replaces, when it leaves the page.
    if (errorText === 'net::ERR_ABORTED') return
    problems.push(`request failed: ${request.url()}: ${errorText}`)
  })
  page.on('request', (request) => {
    if (!isOfThisMachine(request.url())) problems.push(`external request: ${request.url()}`)
  })
}

function isOfThisMachine(url: string): boolean {
  const { protocol, hostname } = new URL(url)
  return !/^(https?|wss?):$/.test(protocol) || hostname === '127.0.0.1' || hostname === 'localhost'
}
