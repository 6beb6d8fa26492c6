import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { expect, test } from 'vitest'
import { browserPaths, publicPaths } from '../../../../../src/platform/core/http-paths.ts'

const page = readFileSync(new URL('../../../../../docs/access.md', import.meta.url), 'utf8')
const [ingress, httpRoute] = [...page.matchAll(/```yaml\n(?<text>.*?)```/gs)].map(({ groups }) =>
  Object(load(groups?.['text'] ?? '')),
)
const routed = [...Object.values(publicPaths), ...Object.values(browserPaths)]

test('the routes of docs/access.md have every path but the metrics', () => {
  const paths: { path: string; pathType: string }[] = ingress.spec.rules[0].http.paths
  expect(paths.map(({ path }) => path).sort()).toEqual([...routed].sort())
  expect(new Set(paths.map(({ pathType }) => pathType))).toEqual(new Set(['Exact']))

  const matches: { path: { type: string; value: string } }[] = httpRoute.spec.rules[0].matches
  expect(matches.map(({ path }) => path.value).sort()).toEqual([...routed].sort())
  expect(new Set(matches.map(({ path }) => path.type))).toEqual(new Set(['Exact']))
})
