import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'

const read = (file: string): Record<string, unknown> => JSON.parse(readFileSync(file, 'utf8'))

describe('the package files', () => {
  test('pin every direct dependency to one version', () => {
    const { dependencies, devDependencies } = read('package.json')
    const ranges = Object.entries({ ...Object(dependencies), ...Object(devDependencies) }).filter(
      ([, version]) => !/^(npm:.+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(String(version)),
    )

    expect(ranges).toEqual([])
  })

  test('name no registry, so that the lock file installs from any', () => {
    expect(readFileSync('package-lock.json', 'utf8')).not.toMatch(/"resolved":|https?:\/\/registry/)
  })

  test('lock every optional package too: npm ci refuses a lock file with gaps', () => {
    const { packages } = read('package-lock.json')
    const locked = Object.entries(Object(packages)).map(([path, entry]) => ({
      path,
      optional: Object.keys(Object(Object(entry)['optionalDependencies'])),
    }))
    const names = new Set(locked.map(({ path }) => path.split('node_modules/').at(-1)))

    expect(locked.flatMap(({ optional }) => optional).filter((name) => !names.has(name))).toEqual(
      [],
    )
  })
})
