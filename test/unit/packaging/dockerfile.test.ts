import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
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
  test('takes every base image from an argument, so that it can be pinned by digest', () => {
    const bases = steps.filter(({ word }) => word === 'FROM').map(({ rest }) => rest.split(' ')[0])
    expect(bases).toEqual([`\${NODE_IMAGE}`, `\${NODE_IMAGE}`])
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
    expect(JSON.parse(restOf('ENTRYPOINT')[0] ?? '')).toEqual(['node', '/app/src/cli/svc.ts'])
  })

  test('has svc on the path', async () => {
    expect(restOf('ENV').join(' ')).toContain(`PATH=/app/bin:\${PATH}`)
    expect(restOf('COPY')).toContain('bin ./bin')
  })

  test('has labels for title, licence and version', () => {
    for (const name of ['title', 'description', 'licenses', 'version']) {
      expect(restOf('LABEL').join(' ')).toContain(`org.opencontainers.image.${name}=`)
    }
    expect(restOf('ARG')).toContain('SVC_VERSION=dev')
    expect(restOf('ENV').join(' ')).toContain(`SVC_VERSION=\${SVC_VERSION}`)
  })

  test('copies only files of the build context', async () => {
    const { in: paths } = await buildContext()
    const copied = steps
      .filter(({ word, rest }) => word === 'COPY' && !rest.startsWith('--from'))
      .flatMap(({ rest }) => rest.split(' ').slice(0, -1))
    expect(copied.filter((path) => !paths.includes(path))).toEqual([])
    expect(paths.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  })

  test('leaves the embedded network and the demo out', async () => {
    const { out } = await buildContext()
    expect(out).toEqual(['src/demo', 'src/localnet'])
    expect(out.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([])
  })
})
