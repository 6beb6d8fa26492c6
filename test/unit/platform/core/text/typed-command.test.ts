import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { typed, typedCommands } from '../../../../../src/platform/core/text/typed-command.ts'

const clone = { root: '/home/me/clone/', isPackage: false }

test.each([
  {
    cwd: '/home/me/clone',
    svc: 'npm run --silent svc --',
    demo: 'make run',
    other: "make run ARGS='--dir two'",
  },
  {
    cwd: '/home/me',
    svc: 'npm --prefix /home/me/clone run --silent svc --',
    demo: 'make -C /home/me/clone run',
    other: "make -C /home/me/clone run ARGS='--dir two'",
  },
])('a clone is used with npm and make, from $cwd', ({ cwd, svc, demo, other }) => {
  const typedThere = typedCommands({ ...clone, cwd })
  expect([typedThere.svc, typedThere.demo(), typedThere.demo('--dir two')]).toEqual([
    svc,
    demo,
    other,
  ])
})

test('a package is used by the path of its command, which every shell runs', async () => {
  const project = await mkdtemp(join(tmpdir(), 'svc typed '))
  onTestFinished(() => rm(project, { recursive: true }))
  const root = join(project, 'node_modules/stellar-x402')
  await mkdir(join(project, 'node_modules/.bin'), { recursive: true })
  await mkdir(join(root, 'bin'), { recursive: true })
  const at = (cwd: string) => typedCommands({ root, isPackage: true, cwd })
  expect(at(project).svc).toBe('./node_modules/stellar-x402/bin/svc')
  await writeFile(join(project, 'node_modules/.bin/svc'), '')
  expect(at(project).svc).toBe('./node_modules/.bin/svc')
  expect(at(project).demo()).toBe('./node_modules/.bin/svc demo')
  expect(at(tmpdir()).demo('--once')).toMatch(
    /^'\.\/svc typed .*\/node_modules\/\.bin\/svc' demo --once$/,
  )
  expect(at('/elsewhere').svc).toBe(`'${join(project, 'node_modules/.bin/svc')}'`)
})

test('the sources that run are a clone', () => {
  expect(typed().demo()).toContain('make')
})
