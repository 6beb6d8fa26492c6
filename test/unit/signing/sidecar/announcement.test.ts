import { beforeAll, describe, expect, test } from 'vitest'
import { examineAnnouncement } from '../../../../examples/signer-sidecar/policy/announcement.ts'
import { Refusal } from '../../../../examples/signer-sidecar/policy/refusal.ts'
import { verifyBytes } from '../../../../src/stellar/accounts/ed25519.ts'
import { proveSigner } from '../../../../src/stellar/accounts/signer-proof.ts'
import { accounts, now, policy, sponsor, thief } from './examined.ts'

const network = 'stellar:testnet'
const baseUrl = 'https://facilitator.example'
const inSeconds = (seconds: number) => new Date(now + seconds * 1_000).toISOString()

function examined(message: string): Uint8Array | Refusal {
  try {
    return examineAnnouncement(message, { policy, sponsor, network, now })
  } catch (error) {
    if (error instanceof Refusal) return error
    throw error
  }
}

const textOf = ({ url = baseUrl, on = network, signer = sponsor, expires = inSeconds(60) } = {}) =>
  `This account submits payments for an x402 facilitator.\nfacilitator: ${url}\nnetwork: ${on}\nsigner: ${signer}\nexpires: ${expires}`

describe('an announcement', () => {
  let signature: string
  beforeAll(async () => {
    const statement = { baseUrl, network, expiresAt: inSeconds(60) } as const
    ;({ signature } = await proveSigner(accounts.sponsor, statement))
  })

  test('has the hash that the facilitator signs', () => {
    const hash = examined(textOf())
    expect(hash).toBeInstanceOf(Uint8Array)
    const bytes = Buffer.from(signature, 'base64')
    expect(verifyBytes(hash as Uint8Array, accounts.sponsor.publicKey, bytes)).toBe(true)
  })

  test.each<[string, string, string]>([
    ['another text', 'message', 'I owe you 100 XLM'],
    ['more text after it', 'message', `${textOf()}\nand more`],
    ['an end of line after it', 'message', `${textOf()}\n`],
    ['text before it', 'message', `Hello\n${textOf()}`],
    ['no text', 'message', ''],
    ['another URL', 'announcement_url', textOf({ url: 'https://thief.example' })],
    ['the URL with a path', 'announcement_url', textOf({ url: `${baseUrl}/x` })],
    ['another network', 'announcement_network', textOf({ on: 'stellar:pubnet' as never })],
    ['another account', 'announcement_signer', textOf({ signer: thief.address })],
    ['a past end', 'announcement_expiry', textOf({ expires: inSeconds(-1) })],
    ['an end in 8 days', 'announcement_expiry', textOf({ expires: inSeconds(8 * 86_400) })],
    ['no date', 'announcement_expiry', textOf({ expires: '2027-99-99T00:00:00Z' })],
  ])('is refused: %s (%s)', (_, code, message) => {
    expect(examined(message)).toMatchObject({ code })
  })
})
