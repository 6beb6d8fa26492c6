import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { render } from '../../../../src/operator/facilitator/render.ts'
import { supportedPartOf } from '../../../../src/operator/facilitator/this-version.ts'
import { svcProgram } from '../../../support/programs/program-path.ts'
import { desiredEverything, everything, facilitatorWith } from './builders.ts'

const run = promisify(execFile)
const parts = ['catalog', 'explorer'] as const

test('the parts that this version lacks are those whose command svc does not have', async () => {
  const { stdout } = await run(process.execPath, [svcProgram(), '--help'])
  const commands = [...stdout.matchAll(/^ {2}(\w+) /gm)].map(([, name]) => name)
  expect(commands).toContain('facilitator')
  expect(supportedPartOf(facilitatorWith(everything)).missingParts).toEqual(
    parts.filter((part) => !commands.includes(part)),
  )
})

test('nothing is created for such a part', () => {
  const { facilitator, missingParts } = supportedPartOf(
    facilitatorWith(everything),
    new Set(['catalog']),
  )
  expect(missingParts).toEqual(['explorer'])
  const { independent, rollouts } = render({ ...desiredEverything(), facilitator })
  expect(rollouts.map(({ deployment }) => deployment.metadata.name)).toEqual([
    'payments-facilitator',
    'payments-catalog',
  ])
  const names = independent.map(({ metadata }) => metadata.name)
  expect(names.filter((name) => name.includes('explorer'))).toEqual([])
})

test('a spec that enables none stays as it is', () => {
  const facilitator = facilitatorWith({})
  expect(supportedPartOf(facilitator)).toEqual({ facilitator, missingParts: [] })
})
