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

describe.each(kinds)('the health of a %s in Argo CD', (kind) => {
  test.for(cases)('is $health when it $when', ({ metadata, status, health }, { skip }) => {
    if ('missing' in tool) return skip(tool.missing)
    const object = { kind, metadata: { generation: 2, ...metadata }, ...(status && { status }) }
    const program = `
      obj = ${lua(object)}
      local health = (function() ${data[`resource.customizations.health.x402.svc.dev_${kind}`]} end)()
      io.write(health.status)
      assert(type(health.message) == "string")`
    const ran = spawnSync(tool.path, ['-'], { input: program, encoding: 'utf8' })
    expect(ran).toMatchObject({ stderr: '', stdout: health })
  })
})
