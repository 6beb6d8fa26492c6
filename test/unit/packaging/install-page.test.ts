import { readFileSync } from 'node:fs'
import { load, loadAll } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import { channelPool } from '../../../src/kubernetes/crd/channel-pool.ts'
import { facilitator } from '../../../src/kubernetes/crd/facilitator.ts'
import { chartValues } from '../../../tools/generate/values-page.ts'

const root = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')
const page = read('docs/install.md')
const values = read('charts/stellar-x402/values.yaml')

/** Every value of the schema, as a dotted path. */
function allowed(schema: unknown, path = ''): readonly string[] {
  const { properties } = Object(schema)
  if (!properties) return [path]
  return Object.entries(properties).flatMap(([name, inner]) =>
    allowed(inner, path === '' ? name : `${path}.${name}`),
  )
}

describe('the installation page', () => {
  test('sets only existing values of the chart', () => {
    const known = chartValues(values).map(({ path }) => path)
    const used = [...page.matchAll(/--set '?([\w.]+)=/g)].map(([, name = '']) => name)
    expect(used.length).toBeGreaterThan(0)
    expect(used.filter((name) => !known.includes(name))).toEqual([])
  })

  test('shows resources that the schema accepts', () => {
    const [, yaml = ''] = /```yaml\n([\s\S]*?)```/.exec(page) ?? []
    const [pool, service] = loadAll(yaml).map((each) => Object(each).spec)
    expect(channelPool.shape.spec.safeParse(pool).error).toBeUndefined()
    expect(facilitator.shape.spec.safeParse(service).error).toBeUndefined()
  })
})

describe('the values of the chart', () => {
  test('have a comment each', () => {
    expect(() => chartValues('a: 1\n')).toThrow('a has no comment')
    expect(chartValues(values).length).toBeGreaterThan(40)
  })

  test('are all in the schema', () => {
    const schema = JSON.parse(read('charts/stellar-x402/values.schema.json'))
    const given = (value: unknown, path: string): boolean =>
      path.split('.').reduce<unknown>((inner, name) => Object(inner)[name], value) !== undefined
    const missing = allowed(schema).filter(
      (path) => path !== 'global' && !given(load(values), path),
    )
    expect(missing).toEqual([])
  })
})
