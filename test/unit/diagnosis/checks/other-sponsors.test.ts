import { describe, expect, test } from 'vitest'
import { channelChecks } from '../../../../src/diagnosis/checks/channels.ts'
import { channel, facts, stored } from '../doctor-facts.ts'

const diagnose = (given: Parameters<typeof facts>[0]) =>
  channelChecks.find(({ name }) => name === 'other-sponsors')?.run(facts(given))

const both = [channel(0), channel(0, { sponsor: 'GOLD' }), channel(1, { sponsor: 'GOLD' })]

describe('channels of another sponsor', () => {
  test('are to be retired when neither a replica nor a pool uses them', () => {
    expect(diagnose({ stored: stored({ channels: both }) })).toMatchObject({
      status: 'warning',
      says: '2 channels of GOLD, not retired',
      todo: expect.stringContaining('svc retire'),
    })
  })

  test('are no finding while they are in use, as during a rotation', () => {
    const inUse = new Set(['GSPONSOR', 'GOLD'])
    expect(diagnose({ stored: stored({ channels: both, inUse }) })).toMatchObject({
      status: 'ok',
      says: '2 channels of GOLD, which replicas or a ChannelPool use',
    })
  })
})
