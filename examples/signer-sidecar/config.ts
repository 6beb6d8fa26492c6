/** The configuration: one JSON file, which the pod of the facilitator must not be able to change. */
import { readFileSync } from 'node:fs'
import { StrKey } from '@stellar/stellar-sdk'
import { z } from 'zod'

/** The passphrases whose SHA-256 is the network id, by CAIP-2 id. */
export const passphrases = {
  'stellar:testnet': 'Test SDF Network ; September 2015',
  'stellar:pubnet': 'Public Global Stellar Network ; September 2015',
} as const
export type NetworkId = keyof typeof passphrases

const STROOPS_PER_XLM = 10_000_000n

const path = z.string().min(1)
const address = z
  .string()
  .refine((text) => StrKey.isValidEd25519PublicKey(text), 'not an address G...')

const xlm = z
  .string()
  .regex(/^\d{1,11}(\.\d{1,7})?$/, 'not an amount of XLM such as "2.5"')
  .transform((text) => {
    const [whole = '', part = ''] = text.split('.')
    return BigInt(whole) * STROOPS_PER_XLM + BigInt(part.padEnd(7, '0'))
  })

const policySchema = z
  .strictObject({
    /** The most that one transaction may cost the sponsor, in stroops: what it bids, of which the network may charge less. */
    maxFeeStroops: z.int().min(100),
    /** The most that all transactions signed within any hour may cost together. */
    maxXlmPerHour: xlm,
    /** Other sponsors of yours. XLM of this one may go to them, and a rotation with them is signed. No account of anybody else belongs here. */
    recipients: z.array(address).default([]),
    channels: z.strictObject({
      /** New accounts in any 24 hours; each locks 1 XLM of the sponsor. */
      maxPerDay: z.int().min(0),
    }),
    /** Base URLs of facilitators, without a trailing slash, for which announcements are signed. */
    announcements: z.array(z.url()).default([]),
    /** Names of data entries of the sponsor that may be set and removed. */
    dataEntries: z.array(z.string().min(1).max(64)).default([]),
    /** Whether code is uploaded and contracts are created at the sponsor's cost. */
    allowContractDeploy: z.boolean().default(false),
  })
  .readonly()
export type Policy = z.output<typeof policySchema>

const listenSchema = z.union([
  z.strictObject({ socketPath: path }),
  z.strictObject({
    host: z.string().default('0.0.0.0'),
    port: z.int().min(0).max(65_535),
    certFile: path,
    keyFile: path,
    /** The authority that signs certificates of clients. Use one that signs nothing else. */
    clientCaFile: path,
    /** DNS names of client certificates. Without this list each certificate of the authority is accepted. */
    clients: z.array(z.string().min(1)).min(1).optional(),
  }),
])
export type Listen = z.output<typeof listenSchema>

const configSchema = z
  .strictObject({
    listen: listenSchema,
    key: z.strictObject({ seedFile: path }),
    logFile: path,
    networks: z.array(z.enum(['stellar:testnet', 'stellar:pubnet'])).min(1),
    policy: policySchema,
  })
  .readonly()
export type Config = z.output<typeof configSchema>

/** Throws an Error that names every problem of the file. */
export function loadConfig(file: string): Config {
  const parsed = configSchema.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (!parsed.success) throw new Error(`${file} is invalid:\n${z.prettifyError(parsed.error)}`)
  return parsed.data
}
