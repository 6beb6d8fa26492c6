import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { appFiles, appFolders, appLeavesOut } from '../../../tools/image/app.ts'
import { environmentOf } from '../../../tools/image/build.ts'
import { buildContext, projectRoot } from '../../support/image-files.ts'

interface Step {
  readonly word: string
  readonly rest: string
}

const steps: readonly Step[] = readFileSync(join(projectRoot, 'Dockerfile'), 'utf8')
  .replaceAll(/^#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [word = '', ...rest] = line.split(' ')
    return { word, rest: rest.join(' ') }
  })

const lastFrom = steps.findLastIndex(({ word }) => word === 'FROM')
const finalStage = steps.slice(lastFrom)
const restOf = (word: string) => finalStage.filter((step) => step.word === word).map((s) => s.rest)

describe('the Dockerfile', () => {
  test('takes its only base from an argument, so that it can be pinned by digest', () => {
    const bases = steps.filter(({ word }) => word === 'FROM').map(({ rest }) => rest.split(' ')[0])
    expect(bases).toEqual([`\${NODE_IMAGE}`, 'scratch'])
    expect(steps[0]).toMatchObject({
      word: 'ARG',
      rest: expect.stringMatching(/^NODE_IMAGE=node:24/),
    })
  })

  test('runs nothing in the final stage, so that its base needs no shell', () => {
    expect(restOf('RUN')).toEqual([])
    for (const word of ['ENTRYPOINT', 'CMD']) {
      for (const rest of restOf(word)) expect(JSON.parse(rest)).toBeInstanceOf(Array)
    }
  })

  test('runs svc as a user without a name and above 10000', () => {
    expect(restOf('USER')).toEqual([expect.stringMatching(/^[1-9]\d{4,}:[1-9]\d{4,}$/)])
    expect(JSON.parse(restOf('ENTRYPOINT')[0] ?? '')).toEqual(['node', '/app/bin/svc'])
  })

  test('has the variables of the image that make image builds', () => {
    const variables = Object.entries(environmentOf(`\${SVC_VERSION}`))
    expect(restOf('ENV').join(' ').split(/ +/)).toEqual(variables.map(([n, v]) => `${n}=${v}`))
  })

  test('has a layer for each of that image', () => {
    const layers = ['debian', 'node', 'libraries', 'app']
    expect(restOf('COPY')).toEqual(layers.map((name) => `--from=build /layers/${name}/ /`))
  })

  test('has labels for title, licence and version', () => {
    for (const name of ['title', 'description', 'licenses', 'version', 'revision', 'source']) {
      expect(restOf('LABEL').join(' ')).toContain(`org.opencontainers.image.${name}=`)
    }
    expect(restOf('ARG')).toContain('SVC_VERSION=dev')
  })

  test('gets the files of the image and those that build it, and no other', async () => {
    const { in: paths } = await buildContext()
    const builders = ['package-lock.json', '.npmrc', 'tools/image']
    expect(paths.toSorted()).toEqual([...appFolders, ...appFiles, ...builders].toSorted())
    expect(paths.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  })

  test('leaves the embedded network and the demo out', async () => {
    const { out } = await buildContext()
    expect(out).toEqual(appLeavesOut)
    expect(out.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  })
})
