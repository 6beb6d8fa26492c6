import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/**
 * What axe-core finds wrong on a page, one line for each element; the rules of WCAG 2.2 up to AA, and axe's best
 * practices. The page must have scripts on. The page's own content security policy does not hinder it: the driver
 * evaluates the library, no script element is added.
 */
export async function accessibilityProblems(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe)
  const { violations } = await page.evaluate(() =>
    (globalThis as unknown as { axe: { run(): Promise<AxeResults> } }).axe.run(),
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all }) => {
      const why = [...any, ...all].map(({ message }) => message).join('; ')
      return `${id}: ${help}: ${html.slice(0, 200)} ${why}`
    }),
  )
}
