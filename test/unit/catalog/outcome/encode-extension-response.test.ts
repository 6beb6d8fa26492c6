import { describe, expect, it } from 'vitest'
import { encodeExtensionResponse } from '../../../../src/catalog/outcome/encode-extension-response.ts'

const decode = (value: string) => JSON.parse(Buffer.from(value, 'base64').toString('utf8'))
const listing = { listingId: '0195c6b7-7bd8-7c6c-b1d2-4f1d4a6f0001', version: 3 }

describe('encodeExtensionResponse', () => {
  it('names phase, status, code, listing and dropped fields', () => {
    const outcome = {
      ...({ status: 'success', code: 'recorded', ...listing } as const),
      dropped: ['tags', 'iconUrl'],
    }
    expect(decode(encodeExtensionResponse('settle', outcome))).toEqual({
      bazaar: {
        ...{ phase: 'settle', status: 'success', code: 'recorded', ...listing },
        dropped: ['tags', 'iconUrl'],
      },
    })
  })

  it('leaves out what there is none of', () => {
    const outcome = { status: 'processing', code: 'awaiting_settlement', dropped: [] } as const
    expect(decode(encodeExtensionResponse('verify', outcome))).toEqual({
      bazaar: { phase: 'verify', status: 'processing', code: 'awaiting_settlement' },
    })
  })

  it('calls the reason of a rejection rejectedReason, and that of any other outcome reason', () => {
    const rejected = { status: 'rejected', code: 'bazaar_info_invalid', dropped: [] } as const
    const processing = {
      status: 'processing',
      code: 'cataloging_in_progress',
      dropped: [],
    } as const
    const encoded = (outcome: typeof rejected | typeof processing, reason?: string) =>
      decode(encodeExtensionResponse('settle', { ...outcome, reason })).bazaar
    expect(encoded(rejected, 'no input')).toMatchObject({ rejectedReason: 'no input' })
    expect(encoded(rejected, 'no input')).not.toHaveProperty('reason')
    expect(encoded(processing, 'ask later')).toMatchObject({ reason: 'ask later' })
    expect(encoded(processing, 'ask later')).not.toHaveProperty('rejectedReason')
    for (const none of [undefined, '', ' ']) {
      expect(encoded(rejected, none).rejectedReason).toMatch(/./)
      expect(encoded(processing, none)).not.toHaveProperty('reason')
    }
  })

  it('cuts a reason after 300 code points, never within one', () => {
    const outcome = { status: 'rejected', code: 'bazaar_info_invalid', dropped: [] } as const
    const reason = `a${'🚀'.repeat(400)}`
    const { rejectedReason } = decode(
      encodeExtensionResponse('settle', { ...outcome, reason }),
    ).bazaar
    expect(rejectedReason).toBe(`a${'🚀'.repeat(299)}`)
  })

  it('carries text of every script, and halves of surrogate pairs replaced', () => {
    const outcome = { status: 'rejected', code: 'bazaar_info_invalid', dropped: [] } as const
    const encoded = encodeExtensionResponse('verify', {
      ...outcome,
      reason: '日本 ü \0 \ud800 \r\n',
    })
    expect(encoded).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
    expect(decode(encoded).bazaar.rejectedReason).toBe('日本 ü \0 \ufffd \r\n')
  })

  it('falls back to a fixed reason and the listing when it is over 4,096 bytes', () => {
    const outcome = { status: 'rejected', code: 'bazaar_owner_conflict', ...listing } as const
    const dropped = Array.from({ length: 300 }, (_, index) => `a-field-${index}`)
    const encoded = encodeExtensionResponse('settle', {
      ...outcome,
      reason: 'other owner',
      dropped,
    })
    expect(encoded.length).toBeLessThanOrEqual(4_096)
    expect(decode(encoded)).toEqual({
      bazaar: {
        ...{ phase: 'settle', ...outcome },
        rejectedReason: 'The reason is too long for a header.',
      },
    })
  })

  it('keeps the longest reason of any text within 4,096 bytes', () => {
    const outcome = { status: 'rejected', code: 'bazaar_catalog_unavailable', ...listing } as const
    for (const character of ['\0', '🚀', '"', '\u2028', 'ü']) {
      const reason = character.repeat(1_000)
      const encoded = encodeExtensionResponse('settle', { ...outcome, reason, dropped: ['tags'] })
      expect(encoded.length).toBeLessThanOrEqual(4_096)
      expect(decode(encoded).bazaar).toMatchObject({ dropped: ['tags'] })
    }
  })
})
