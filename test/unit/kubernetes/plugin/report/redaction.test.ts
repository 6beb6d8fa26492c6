import { describe, expect, test } from 'vitest'
import { KnownSecrets } from '../../../../../src/kubernetes/plugin/report/known-secrets.ts'
import { redactObject } from '../../../../../src/kubernetes/plugin/report/redact.ts'
import { scrubText } from '../../../../../src/kubernetes/plugin/report/scrub-text.ts'

const SEED = `S${'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.repeat(2).slice(0, 55)}`
const ACCOUNT = `G${SEED.slice(1)}`
const KEY = 'svc_0hJk-9aZ_q3RtYuIoPLkJhGfDsAzXcVbNm12345'
const HASH = 'c0ffee00'.repeat(8)

describe('a text of a report', () => {
  test.each([
    [`the sponsor ${SEED} is short`, SEED],
    [`cannot reach postgres://svc:p%40ss/w#rd?x@db.example:5432/x402: timeout`, 'p%40ss'],
    [`cannot reach postgresql://svc:a@b:c/d@db/x`, 'a@b'],
    [`encoded postgres%3A%2F%2Fsvc%3Ahunter2%40db%2Fx402 here`, 'hunter2'],
    ['RPC https://rpc.example/v2/abc123 answered 500', 'abc123'],
    ['RPC https://user:hunter2@rpc.example answered 500', 'hunter2'],
    ['RPC https://rpc.example?key=hunter2 answered', 'hunter2'],
    ['Authorization: Bearer hunter2hunter2', 'hunter2'],
    ['{"authorization":"Basic aHVudGVyMg=="}', 'aHVudGVyMg'],
    ['X-API-Key: hunter2', 'hunter2'],
    ['password: hunter', 'hunter'],
    ['PGPASSWORD=hunter2 psql', 'hunter2'],
    ['started with --api-token hunter2', 'hunter2'],
    ['started with --db-password=hunter2', 'hunter2'],
    [`the caller sent ${KEY}`, KEY.slice(4)],
    [`digest ${HASH}`, HASH],
    [`sha256=${HASH}`, HASH],
    [`unknown key ${Buffer.from(KEY).toString('base64')}`, Buffer.from(KEY).toString('base64')],
    [`encoded ${encodeURIComponent(`caller/${KEY}`)}`, KEY.slice(4)],
  ])('keeps no secret: %s', (text, secret) => {
    expect(scrubText(text)).not.toContain(secret)
  })

  test.each([
    'The sponsor of the pool testnet can spend 3.25 XLM: send it 22 XLM.',
    `Send XLM to ${ACCOUNT}`,
    'There is no Secret: create it, or name another one.',
    'Deployment payments-facilitator-57ccb867db-5h6wk in shop-production is not ready',
    'https://rpc.example answered 503',
    'http://payments-facilitator.shop.svc',
    'registry.example/stellar-x402:1.0.0',
    'ChannelsQuarantined ProgressDeadlineExceeded settle_exact_stellar_sponsor_unavailable',
    'svc_http_request_duration_seconds_bucket{method="POST",route="/settle",le="0.25"} 17',
    'd3b07384-d9a0-4c9b-8f5e-1a2b3c4d5e6f at 2026-01-01T00:00:00.123Z',
  ])('stays readable: %s', (text) => {
    expect(scrubText(text)).toBe(text)
  })
})

test.each([
  ['a line of hyphens', '-'],
  ['names of secrets', 'a-secret-'],
  ['a long word', 'a'],
  ['words with hyphens', 'a-z'],
  ['beginnings of keys', 'svc_'],
  ['beginnings of addresses', '://'],
])('a log with %s without end is read in a time that grows as it does', (_, unit) => {
  const log = `${unit.repeat(Math.ceil(65_536 / unit.length))}\0`
  const before = process.cpuUsage()
  expect(scrubText(log)).toContain('\0')
  const known = new KnownSecrets()
  known.learn(log)
  // The square of the length is more than a second.
  expect(process.cpuUsage(before).user).toBeLessThan(600_000)
})

describe('an object of a report', () => {
  const pod = {
    metadata: {
      name: 'payments-1',
      managedFields: [{ manager: 'canary-manager' }],
      labels: { 'x402.svc.dev/facilitator': 'payments' },
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration':
          '{"spec":{"containers":[{"name":"x","env":[{"name":"A","value":"canary-applied"}]}]}}',
        'team.example/note': 'canary-annotation',
        'x402.svc.dev/restartedAt': '2026-01-01T00:00:00.000Z',
      },
    },
    spec: {
      containers: [
        {
          name: 'facilitator',
          image: 'registry.example/stellar-x402:1.0.0',
          args: ['facilitator', '--flag=canary-argument'],
          env: [
            { name: 'LOG_LEVEL', value: 'debug' },
            { name: 'PLAIN', value: 'canary-env' },
            { name: 'REF', valueFrom: { secretKeyRef: { name: 'team-secret', key: 'url' } } },
          ],
          livenessProbe: { httpGet: { path: '/livez', port: 'admin' } },
        },
        { name: 'sidecar', args: ['run'], lifecycle: { exec: { command: ['canary-hook'] } } },
      ],
      volumes: [
        { name: 'a', secret: { secretName: 'team-secret' } },
        { name: 'b', csi: { volumeAttributes: { key: 'canary-volume' } } },
      ],
    },
    status: {
      conditions: [{ type: 'Ready', message: 'cannot reach postgres://u:canary-dsn@db/x' }],
    },
  }

  test('has the names and settings that help, and no free text of people', () => {
    const text = JSON.stringify(redactObject(pod, new KnownSecrets()))
    expect(text).not.toContain('canary')
    for (const kept of ['payments-1', 'team-secret', 'PLAIN', 'debug', '/livez', '"facilitator"']) {
      expect(text).toContain(kept)
    }
  })

  test('takes its secrets out of every other text, in any encoding', () => {
    const known = new KnownSecrets(['payments-1'])
    redactObject(pod, known)
    const canaries = ['env', 'applied', 'annotation', 'argument', 'hook', 'volume', 'dsn']
    const forms = canaries.flatMap((name) => {
      const value = `canary-${name}`
      const encoded = [0, 1, 2].map((shift) => Buffer.from(`${'x'.repeat(shift)}${value}y`))
      return [
        value,
        encodeURIComponent(`${value}/é`),
        ...encoded.map((each) => each.toString('base64')),
      ]
    })
    for (const form of forms) {
      const left = known.removeFrom(`a log line with ${form} in it`)
      expect(left, form).not.toContain(form)
    }
    expect(known.removeFrom('pod payments-1 started')).toBe('pod payments-1 started')
  })

  test('shows transactions, which are public, and no digest of an API key', () => {
    const line = { transaction: HASH, key: HASH, image: `svc@sha256:${HASH}`, sha256: HASH }
    expect(redactObject(line, new KnownSecrets())).toEqual({
      transaction: HASH,
      key: '[redacted]',
      image: `svc@sha256:${HASH}`,
      sha256: '[redacted]',
    })
  })
})
