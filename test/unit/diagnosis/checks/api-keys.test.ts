import { expect, test } from 'vitest'
import { serviceChecks } from '../../../../src/diagnosis/checks/service.ts'
import { facts, NOW } from '../doctor-facts.ts'

const digest = (digit: string) => digit.repeat(64)
const valid = { digest: digest('a'), until: NOW + 1 }
const ended = { digest: digest('b'), until: NOW }
const notYet = { digest: digest('c'), from: NOW + 1 }

test.each<{ when: string; given: Parameters<typeof facts>[0]; says: string }>([
  {
    when: 'the public network is open',
    given: { id: 'stellar:pubnet' },
    says: 'warning: anyone may spend XLM of the sponsor of stellar:pubnet',
  },
  {
    when: 'every key was withdrawn',
    given: { requireApiKey: true },
    says: 'warning: no key is configured, so every payment is refused on stellar:testnet',
  },
  {
    when: 'no key is valid now',
    given: { requireApiKey: true, apiKeys: [ended, notYet] },
    says: 'warning: no configured key is valid, so every payment is refused on stellar:testnet',
  },
  {
    when: 'a key has ended and another is not valid yet',
    given: { requireApiKey: true, apiKeys: [valid, ended, notYet] },
    says: 'ok: 3 keys configured, 1 not valid yet, 1 ended',
  },
  {
    when: 'no network needs a key',
    given: { apiKeys: [valid] },
    says: 'ok: 1 key configured, not required on stellar:testnet',
  },
])('the check api-keys says when $when: $says', ({ given, says }) => {
  const check = serviceChecks.find(({ name }) => name === 'api-keys')
  const diagnosis = check?.run(facts(given))
  expect(`${diagnosis?.status}: ${diagnosis?.says}`).toBe(says)
})
