import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { load } from 'js-yaml'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../support/api/manifests.ts'
import { lua as luaTool } from '../support/tools.ts'

/* The health script of Argo CD, in a real Lua. */

const file = new URL('../../../manifests/argocd/argocd-cm.yaml', import.meta.url)
const { data } = Object(load(readFileSync(file, 'utf8')))
const kinds = ['Facilitator', 'ChannelPool'] as const

interface Case {
  readonly when: string
  readonly metadata?: Json
  readonly status?: Json
  readonly health: string
}

const is = (type: string, status: string) => ({
  type,
  status,
  reason: 'Any',
  message: `${type} is ${status}, "quoted"\n`,
})
const observed = (...conditions: readonly Json[]) => ({ observedGeneration: 2, conditions })

const cases: readonly Case[] = [
  { when: 'has no status yet', health: 'Progressing' },
  { when: 'was not observed yet', status: observed(is('Ready', 'Unknown')), health: 'Progressing' },
  {
    when: 'is Ready',
    status: observed(is('Ready', 'True'), is('Progressing', 'False'), is('Degraded', 'False')),
    health: 'Healthy',
  },
  {
    when: 'is Ready for an earlier spec',
    status: { ...observed(is('Ready', 'True')), observedGeneration: 1 },
    health: 'Progressing',
  },
  {
    when: 'serves while pods are replaced',
    status: observed(is('Ready', 'True'), is('Reconciling', 'True')),
    health: 'Progressing',
  },
  {
    when: 'stands still',
    status: observed(is('Ready', 'True'), is('Reconciling', 'True'), is('Stalled', 'True')),
    health: 'Degraded',
  },
  {
    when: 'is not Ready, and nothing is in progress',
    status: observed(is('Ready', 'False'), is('Progressing', 'False')),
    health: 'Degraded',
  },
  {
    when: 'serves below its spec',
    status: observed(is('Ready', 'True'), is('Degraded', 'True')),
    health: 'Degraded',
  },
  {
    when: 'is paused',
    metadata: { annotations: { 'x402.svc.dev/paused': 'true' } },
    status: observed(is('Ready', 'False')),
    health: 'Suspended',
  },
  {
    when: 'is being deleted',
    metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' },
    status: observed(is('Ready', 'False')),
    health: 'Progressing',
  },
]

/** A value as Lua writes it. */
function lua(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(lua).join(', ')}}`
  if (typeof value === 'object' && value !== null) {
    return `{${Object.entries(value).map(([name, each]) => `["${name}"] = ${lua(each)}`)}}`
  }
  return typeof value === 'string' ? JSON.stringify(value) : String(value)
}

const tool = await luaTool()

const printed = (kind: (typeof kinds)[number], object: Json, what: string) => {
  const path = 'missing' in tool ? '' : tool.path
  const input = `
      obj = ${lua(object)}
      local health = (function() ${data[`resource.customizations.health.x402.svc.dev_${kind}`]} end)()
      io.write(${what})
      assert(type(health.message) == "string")`
  return spawnSync(path, ['-'], { input, encoding: 'utf8' })
}

test('N1: what Argo CD shows of a held rollout is the sentence that says what to do', ({
  skip,
}) => {
  if ('missing' in tool) return skip(tool.missing)
  const held = (type: string, status: string, message: string) => ({
    ...is(type, status),
    reason: 'RolloutHeld',
    message,
  })
  const status = observed(
    is('Ready', 'True'),
    held('Progressing', 'False', 'No change is made: condition Degraded says why.'),
    held('Degraded', 'True', 'The same change stalled on Facilitator first.'),
    held('Stalled', 'True', 'Nothing goes on: condition Degraded says what to do.'),
  )
  const object = { kind: 'Facilitator', metadata: { generation: 2 }, status }
  const stdout = 'Degraded The same change stalled on Facilitator first.'
  const shown = printed('Facilitator', object, 'health.status .. " " .. health.message')
  expect(shown).toMatchObject({ stderr: '', stdout })
})

describe.each(kinds)('the health of a %s in Argo CD', (kind) => {
  test.for(cases)('is $health when it $when', ({ metadata, status, health }, { skip }) => {
    if ('missing' in tool) return skip(tool.missing)
    const object = { kind, metadata: { generation: 2, ...metadata }, ...(status && { status }) }
    const ran = printed(kind, object, 'health.status')
    expect(ran).toMatchObject({ stderr: '', stdout: health })
  })
})
