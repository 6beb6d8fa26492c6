import { afterEach, expect, test } from 'vitest'
import { connectionProblem } from '../../../../../src/platform/core/errors/connection-problem.ts'
import { outboundAgent } from '../../../../../src/platform/http/guarded-fetch/outbound-agent.ts'
import { renegotiatingServer } from '../../../../support/renegotiating-server.ts'

let opened = new AsyncDisposableStack()
afterEach(async () => {
  await opened.disposeAsync()
  opened = new AsyncDisposableStack()
})

test('a server of TLS 1.2 is answered once, and shows no second certificate', async () => {
  const requests: string[] = []
  const server = opened.use(
    await renegotiatingServer(async (request) => {
      requests.push(request)
      return requests.length === 1 ? 'HTTP/1.1 204 No Content\r\n\r\n' : undefined
    }),
  )
  const agent = outboundAgent({ reach: 'anywhere', connectMs: 5_000, maxHeaderBytes: 1_024 })
  opened.defer(() => agent.destroy())
  const ask = () => agent.request({ origin: server.url, path: '/', method: 'GET' })
  expect((await ask()).statusCode).toBe(204)
  const error = await ask().catch((each: unknown) => each)
  expect(connectionProblem(error)).toMatchObject({ kind: 'interrupted' })
  expect(requests).toHaveLength(2)
  expect(server.errors[0]).toBe('ERR_SSL_NO_RENEGOTIATION')
})
