import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const axe = await readFile(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

/** The rules whose result depends on colors, so on the theme of a page. */
export const colorRules = ['color-contrast', 'link-in-text-block']

/**
 * What axe-core finds wrong on a page, one line for each element; the rules of WCAG 2.2 up to AA, and axe's best
 * practices. The page must have scripts on. The page's own content security policy does not hinder it: the driver
 * evaluates the library, no script element is added. With `rules`, only those of axe are checked.
 */
export async function accessibilityProblems(
  page: Page,
  rules?: readonly string[],
): Promise<readonly string[]> {
  if (!(await page.evaluate('typeof globalThis.axe?.run === "function"'))) await page.evaluate(axe)
  const { violations } = await page.evaluate(
    (options) =>
      (globalThis as unknown as { axe: { run(options: object): Promise<AxeResults> } }).axe.run(
        options,
      ),
    rules === undefined ? {} : { runOnly: { type: 'rule', values: [...rules] } },
  )
  return violations.flatMap(({ id, help, nodes }) =>
    nodes.map(({ html, any, all }) => {
      const why = [...any, ...all].map(({ message }) => message).join('; ')
      return `${id}: ${help}: ${html.slice(0, 200)} ${why}`
    }),
  )
}
