import { expect, test } from 'vitest'
import { commandsHere } from '../../../../src/cli/commands.ts'
import { render } from '../../../../src/operator/facilitator/render.ts'
import { supportedPartOf } from '../../../../src/operator/facilitator/this-version.ts'
import { desiredEverything, everything, facilitatorWith } from './builders.ts'

const parts = ['catalog', 'explorer'] as const

test('the parts that this version lacks are those whose command svc does not have', () => {
  const commands = Object.keys(commandsHere)
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
