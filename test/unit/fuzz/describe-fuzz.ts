import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { editedBytes } from '../../support/mutations.ts'
import { type Parser, parsers } from './parsers.ts'

const { PROPERTY_RUNS, PROPERTY_SEED: seed = '20261123' } = process.env

/** The seed is fixed, unless PROPERTY_SEED says another one or `random`. */
export const parametersOf = (runs: number): fc.Parameters<unknown> => ({
  numRuns: Number(PROPERTY_RUNS ?? runs),
  ...(seed === 'random' ? {} : { seed: Number(seed) }),
})

/** Inputs that once broke a parser, a file each: `NAME of the parser, with dashes.anything`. */
const corpus = new URL('../../fixtures/fuzz/', import.meta.url)
const kept = readdirSync(corpus)

/** Reads, and lets through only errors that the parser does not declare. */
async function read({ read: parse, declares }: Parser, bytes: Buffer): Promise<void> {
  try {
    await parse(bytes)
  } catch (error) {
    if (!declares(error)) throw error
  }
}

/**
 * A stranger's bytes give a value or a declared error, whatever they are. The seed is fixed; to try other inputs:
 *
 *   PROPERTY_RUNS=100000 PROPERTY_SEED=random npx vitest run test/unit/fuzz/parsers.test
 *
 * What breaks a parser is printed as `BASE64`; keep it as a file of test/fixtures/fuzz.
 */
export function describeFuzz(runs: number): void {
  describe.each(parsers)('$name', (parser) => {
    const check = (inputs: fc.Arbitrary<Buffer>) =>
      fc.assert(
        fc.asyncProperty(inputs, (bytes) =>
          read(parser, bytes).catch((cause: unknown) => {
            throw new Error(`BASE64 ${bytes.toString('base64')}`, { cause })
          }),
        ),
        parametersOf(runs),
      )

    test('is read when it is valid', async () => {
      await expect(Promise.resolve(parser.read(parser.valid))).resolves.toBeDefined()
    })
    test('is read or refused with bytes changed', () => check(editedBytes(parser.valid)))
    test('is refused as any bytes', () =>
      check(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))))
    test('is refused when every length is the largest', async () => {
      for (let at = 0; at + 4 <= parser.valid.length; at += 4) {
        const bytes = Buffer.from(parser.valid)
        bytes.writeUInt32BE(0xffff_ffff, at)
        await read(parser, bytes)
      }
    })
    test.each(kept.filter((file) => file.startsWith(`${parser.name.replaceAll(' ', '-')}.`)))(
      '%s, which once broke it',
      (file) => read(parser, readFileSync(new URL(file, corpus))),
    )
  })
}
