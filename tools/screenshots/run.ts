// Takes the pictures of the explorer's pages that README shows: make screenshots. With ARGS="--all FOLDER" it takes
// every page in every width, theme and state, to look at.
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { systemClock } from '../../src/platform/core/time/clock.ts'
import { openStore } from '../../src/platform/database/open.ts'
import {
  type PageOptions,
  startBrowser,
  type TestBrowser,
} from '../../test/support/browser/browser.ts'
import { startCatalogServer } from '../../test/support/explorer/catalog-server.ts'
import { startPagesServer } from '../../test/support/explorer/pages-server.ts'
import { seedCatalog } from '../../test/support/explorer/seed-catalog.ts'
import { pagesOf } from './pages.ts'
import { NOW, type State, states } from './states.ts'

interface Picture {
  readonly file: string
  readonly page: string
  readonly options: PageOptions
  /** The whole page, however long; otherwise what a window shows. */
  readonly isWhole: boolean
}

const README_FOLDER = 'docs/images'

const ofReadme: readonly Picture[] = (
  [
    ['overview-light', 'overview', 'light'],
    ['overview-dark', 'overview', 'dark'],
    ['payment', 'payment', 'light'],
    ['seller', 'seller', 'light'],
    ['catalog', 'catalog', 'light'],
  ] as const
).map(([name, page, colorScheme]) => ({
  file: join(README_FOLDER, `explorer-${name}.png`),
  page,
  options: { colorScheme },
  isWhole: false,
}))

const allOf = (folder: string, state: string, pages: readonly string[]): readonly Picture[] =>
  pages.flatMap((page) =>
    ([1_280, 390] as const).flatMap((width) =>
      (['light', 'dark'] as const).map((colorScheme) => ({
        file: join(folder, `${state}-${page}-${width}-${colorScheme}.png`),
        page,
        options: { width, colorScheme },
        isWhole: true,
      })),
    ),
  )

/** The same time for the server and the browser, so that every run takes the same pictures. */
const clock = { ...systemClock, now: () => NOW * 1_000 }

async function take(
  browser: TestBrowser,
  state: State,
  picturesOf: (pages: readonly string[]) => readonly Picture[],
): Promise<void> {
  await using opened = new AsyncDisposableStack()
  const store = opened.use(await openStore({ kind: 'memory' }))
  await store.migrate()
  const market = await state.fill(store.db)
  const paths = pagesOf(market, await seedCatalog(store.db, market))
  const { baseUrl: catalogUrl } = opened.use(await startCatalogServer(store.db))
  const { readsThrough } = state
  const options = { db: store.db, clock, catalogUrl, ...(readsThrough && { readsThrough }) }
  const server = opened.use(await startPagesServer(options))
  for (const { file, page: name, options, isWhole } of picturesOf(Object.keys(paths))) {
    const expectedProblems = ['the server responded with a status of']
    await browser.withPage({ ...options, expectedProblems }, async (page) => {
      await page.clock.setFixedTime(NOW * 1_000)
      await page.goto(server.baseUrl + paths[name])
      await writeFile(file, await page.screenshot({ fullPage: isWhole }))
    })
    process.stdout.write(`${file}\n`)
  }
}

const { values } = parseArgs({
  options: {
    all: { type: 'string' },
    state: { type: 'string', multiple: true },
    page: { type: 'string', multiple: true },
  },
})
const folder = values.all ?? README_FOLDER
await mkdir(folder, { recursive: true })
await using browser = await startBrowser()
if (values.all === undefined) await take(browser, states.full, () => ofReadme)
else {
  for (const [name, state] of Object.entries<State>(states)) {
    if (values.state && !values.state.includes(name)) continue
    await take(browser, state, (pages) =>
      allOf(
        folder,
        name,
        values.page ? pages.filter((each) => values.page?.includes(each)) : pages,
      ),
    )
  }
}
