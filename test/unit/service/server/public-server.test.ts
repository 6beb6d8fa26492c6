import { describe, expect, test } from 'vitest'
import { render } from '../../../../src/kubernetes/operator/facilitator/render/render.ts'
import { createLogger } from '../../../../src/platform/telemetry/logs/logger.ts'
import { publicServer } from '../../../../src/service/server/public-server.ts'
import { desiredWith } from '../../kubernetes/operator/facilitator/builders.ts'
import { load } from '../../settings/serve-environment.ts'

async function keepAliveOf(variables: Readonly<Record<string, string>>): Promise<string | null> {
  const logger = createLogger({ level: 'silent' })
  await using server = publicServer(load(variables), { logger })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  return (await fetch(url)).headers.get('keep-alive')
}

describe('a connection without a request', () => {
  test.each([
    { variables: {}, header: 'timeout=72' },
    { variables: { KEEP_ALIVE_SECONDS: '610' }, header: 'timeout=610' },
  ])('stays open as $variables says', async ({ variables, header }) => {
    expect(await keepAliveOf(variables)).toBe(header)
  })

  test('to a pod of any part stays open as the Facilitator says', () => {
    const parts = { catalog: { enabled: true }, explorer: { enabled: true } }
    const environmentsOf = (spec: object) =>
      render(desiredWith({ ...parts, ...spec })).rollouts.map(({ configMap }) => configMap['data'])
    const set = environmentsOf({ keepAliveSeconds: 610 })
    expect(set).toHaveLength(3)
    for (const each of set) expect(each).toMatchObject({ KEEP_ALIVE_SECONDS: '610' })
    for (const each of environmentsOf({})) expect(each).not.toHaveProperty('KEEP_ALIVE_SECONDS')
  })
})
