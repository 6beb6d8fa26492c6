import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createAdminServer } from '../../../src/platform/http/admin.ts'
import { createLogger } from '../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../src/platform/telemetry/metrics/metrics.ts'
import { chartPath } from '../../../tools/generate/rendered.ts'
import { startStack } from '../../support/stack.ts'

const run = promisify(execFile)

/** The script of the pod of `helm test`, with the pod's settings. */
const helmTest = (operator: string, facilitator: string) =>
  run(process.execPath, [`${chartPath}/files/helm-test.mjs`], {
    env: { OPERATOR_URL: operator, FACILITATOR_URL: facilitator },
  })

const adminWith = async (isReady: boolean) => {
  const server = createAdminServer({
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    checks: {
      caches: async () => {
        if (!isReady) throw new Error('not every cache is filled yet')
        return undefined
      },
    },
  })
  const { url } = await server.listen({ host: '127.0.0.1', port: 0 })
  return { url, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('the script of helm test', () => {
  test('passes with a ready operator and a facilitator that answers with a verdict', async () => {
    await using admin = await adminWith(true)
    await using stack = await startStack()
    const { stdout } = await helmTest(admin.url, stack.baseUrl)
    expect(stdout).toContain('/readyz answers 200')
    expect(stdout).toContain('"isValid":false')
    await helmTest(admin.url, '')
  })

  test('fails with an operator that is not ready, and with a server that is not a facilitator', async () => {
    await using ready = await adminWith(true)
    await using unready = await adminWith(false)
    await expect(helmTest(unready.url, '')).rejects.toMatchObject({
      stderr: 'The operator is not ready\n',
    })
    await expect(helmTest(ready.url, ready.url)).rejects.toMatchObject({
      stderr: 'The facilitator sent no verdict\n',
    })
  })
})
