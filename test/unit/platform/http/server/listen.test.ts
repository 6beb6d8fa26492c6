import { describe, expect, test } from 'vitest'
import { createAdminServer } from '../../../../../src/platform/http/admin.ts'
import { createLogger } from '../../../../../src/platform/telemetry/logs/logger.ts'
import { createMetrics } from '../../../../../src/platform/telemetry/metrics/metrics.ts'

const newServer = () =>
  createAdminServer({
    logger: createLogger({ level: 'silent' }),
    metrics: createMetrics(),
    checks: {},
  })

const statusAt = async (host: string, port: number): Promise<number> =>
  (await fetch(`http://${host}:${port}/livez`)).status

describe('a server on every address', () => {
  test('is reached over IPv6 and over IPv4', async () => {
    await using server = newServer()
    const { port } = await server.listen({ host: '::', port: 0 })

    expect(await statusAt('[::1]', port)).toBe(200)
    expect(await statusAt('127.0.0.1', port)).toBe(200)
  })

  test('is reached over IPv4 where the kernel has no IPv6', async () => {
    await using server = newServer()
    const real = server.app.listen.bind(server.app)
    const asked: string[] = []
    const withoutIpv6 = ({ host = '', port = 0 }) => {
      asked.push(host)
      if (!host.includes(':')) return real({ host, port })
      return Promise.reject(Object.assign(new Error('no IPv6'), { code: 'EAFNOSUPPORT' }))
    }
    Object.assign(server.app, { listen: withoutIpv6 })
    const { port } = await server.listen({ host: '::', port: 0 })

    expect(asked).toEqual(['::', '0.0.0.0'])
    expect(await statusAt('127.0.0.1', port)).toBe(200)
  })

  test('names an IPv6 address in brackets', async () => {
    await using server = newServer()
    const { url } = await server.listen({ host: '::1', port: 0 })

    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/)
    expect((await fetch(`${url}/livez`)).status).toBe(200)
  })
})
