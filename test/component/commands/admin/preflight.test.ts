import { StrKey } from '@stellar/stellar-sdk'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { uptoContract } from '../../../../src/localnet/genesis/upto-contract.ts'
import { Localnet } from '../../../../src/localnet/network.ts'
import { startLocalnetServer } from '../../../../src/localnet/server/server.ts'
import { passphrases, usdcContracts } from '../../../../src/platform/core/caip2.ts'
import { Deployer } from '../../../support/contracts.ts'
import { bareDatabase } from '../../../support/postgres.ts'
import {
  type AdminWorld,
  newSponsor,
  openAdminWorld,
  run,
  type Sponsor,
  type Variables,
  XLM,
} from '../admin-world.ts'
import { runHere } from '../run-here.ts'

let world: AdminWorld
let sponsor: Sponsor
beforeAll(async () => {
  world = await openAdminWorld()
  sponsor = newSponsor()
  await world.fund(sponsor, 100n * XLM)
  expect((await runHere(world.env(sponsor), 'provision')).code).toBe(0)
})
afterAll(() => world[Symbol.asyncDispose]())

const preflight = (changes: Variables = {}, of = sponsor, ...args: string[]) =>
  runHere(world.env(of, changes), 'preflight', ...args)
const lines = ({ err }: { err: string }) => err.trimEnd().split('\n')

describe('svc preflight', () => {
  test('says nothing and ends with 0 where a facilitator could settle', async () => {
    const ran = await run(world.env(sponsor), 'preflight')
    expect(ran).toMatchObject({ code: 0, out: '', err: '' })
  })

  test('another funded seed could not settle: its sponsor has no channel in this database', async () => {
    const other = newSponsor()
    await world.fund(other, 100n * XLM)
    const ran = await preflight({}, other)
    expect(ran).toMatchObject({ code: 1, out: '' })
    expect(lines(ran)).toEqual([
      `svc preflight: stellar:testnet: leasable-channels: the database has no channel of sponsor ${other.address} that a settlement could lease: it has those of another sponsor: put its seed back, or create a ChannelPool with the new seed`,
    ])
    // As in a pool that the spec empties.
    const empty = ['--without-channels', 'stellar:testnet']
    expect(await preflight({}, other, ...empty)).toMatchObject({ code: 0, err: '' })
  })

  test('names a sponsor that is not on the ledger, and writes nothing', async () => {
    const unknown = newSponsor()
    const ran = await preflight({ TESTNET_AUTO_PROVISION_CHANNELS: 'true' }, unknown)
    expect(ran.code).toBe(1)
    expect(lines(ran)).toEqual([
      expect.stringMatching(/^svc preflight: stellar:testnet: sponsor: .* send XLM to G/),
    ])
  })

  test('names a dead endpoint, and one of another network', async () => {
    const dead = await preflight({ TESTNET_RPC_URL: 'http://127.0.0.1:9' })
    expect(dead.code).toBe(1)
    expect(dead.err).toContain(
      'svc preflight: stellar:testnet: rpc: no RPC endpoint answered (127.0.0.1:9',
    )

    const pubnet = await startLocalnetServer({
      network: new Localnet({ passphrase: 'another network' }),
      closeEveryMs: 'manual',
    })
    await using _ = { [Symbol.asyncDispose]: () => pubnet.close() }
    const wrong = await preflight({ TESTNET_RPC_URL: pubnet.httpUrl })
    expect(wrong.code).toBe(1)
    expect(wrong.err).toContain('svc preflight: stellar:testnet: rpc-network: ')
  })

  describe('N2: settings under which nothing could be paid are refused, with the value that would do', () => {
    const problem = (about: string) => `svc preflight: stellar:testnet: ${about}`
    const upto = { TESTNET_UPTO_CONTRACT: uptoContract(passphrases['stellar:testnet']) }

    test('a maximum fee below what a payment costs, in each scheme', async () => {
      const ran = await preflight({ ...upto, MAX_TX_FEE_STROOPS: '20000' })
      expect(ran.code).toBe(1)
      expect(lines(ran)).toEqual([
        expect.stringMatching(
          /^svc preflight: stellar:testnet: trial-payments: each payment is refused that costs more than the 20000 stroops of MAX_TX_FEE_STROOPS \(fees\.maxTxFeeStroops\), and the least is 2\d{4} by exact in USDC, 4\d{4} by upto in USDC: raise MAX_TX_FEE_STROOPS \(fees\.maxTxFeeStroops\) to 10\d000$/,
        ),
      ])
      const [, enough = ''] = /to (\d+)$/.exec(lines(ran)[0] ?? '') ?? []
      const corrected = await preflight({ ...upto, MAX_TX_FEE_STROOPS: enough })
      expect(corrected).toMatchObject({ code: 0, err: '' })
    })

    test('a maximum fee at which only the dearer scheme fails', async () => {
      const ran = await preflight({ ...upto, MAX_TX_FEE_STROOPS: '35000' })
      expect(ran.code).toBe(1)
      expect(ran.err).toMatch(/the least is 4\d{4} by upto in USDC: raise/)
    })

    const usdc = usdcContracts['stellar:testnet']

    test('a largest amount of 0', async () => {
      const ran = await preflight({ TESTNET_ASSETS: `${usdc}:USDC:7:0:0` })
      expect(ran.code).toBe(1)
      expect(lines(ran)).toEqual([
        problem(
          'terms: TESTNET_ASSETS (assets[].maxAmount) of USDC is 0: each payment in it is refused: raise it to at least 1, or leave it out for no limit',
        ),
      ])
    })

    test('timeouts in which every payment expires', async () => {
      const timeouts = { TESTNET_TIMEOUT_MIN_SECONDS: '1', TESTNET_TIMEOUT_MAX_SECONDS: '1' }
      const ran = await preflight(timeouts)
      expect(ran.code).toBe(1)
      expect(lines(ran)).toEqual([
        expect.stringMatching(
          /: terms: a payment may be valid for 1 s at most, by TESTNET_TIMEOUT_MAX_SECONDS \(timeouts\.max\): .*: raise TESTNET_TIMEOUT_MAX_SECONDS \(timeouts\.max\) to at least \d+ s$/,
        ),
      ])
    })

    test("decimals that are not the token's", async () => {
      const ran = await preflight({ TESTNET_ASSETS: `${usdc}:USDC:6` })
      expect(ran.code).toBe(1)
      expect(lines(ran)).toEqual([
        problem(
          `trial-payments: USDC (${usdc}) has 7 decimals on the ledger, by TESTNET_ASSETS (assets[].decimals) it has 6: amounts in base units that were computed with it are wrong: set its decimals to 7`,
        ),
      ])
    })

    test('an asset that is not on the ledger', async () => {
      const nothing = StrKey.encodeContract(Buffer.alloc(32, 7))
      const ran = await preflight({ TESTNET_ASSETS: `${nothing}:NONE:7` })
      expect(ran.code).toBe(1)
      expect(lines(ran)).toEqual([
        problem(
          `trial-payments: contract ${nothing} (NONE) is not on the ledger: no payment in it can be made: correct TESTNET_ASSETS (assets[].contract)`,
        ),
      ])
    })

    test('a token of which no holder is known is not tried, which refuses nothing', async () => {
      const token = await new Deployer(world.localnet).trickToken('honest')
      const assets = { TESTNET_ASSETS: `${token}:OWN:7` }
      expect(await preflight(assets)).toMatchObject({ code: 0, err: '' })
      const { out } = await runHere(world.env(sponsor, assets), 'doctor')
      expect(out).toContain('OWN by exact not tried: the payer')
      // The fee and the decimals are checked all the same.
      const dear = await preflight({ ...assets, MAX_TX_FEE_STROOPS: '20000' })
      expect(dear.err).toMatch(/the least is 2\d{4} by exact in OWN: raise/)
      const wrong = await preflight({ TESTNET_ASSETS: `${token}:OWN:8` })
      expect(wrong.err).toContain('has 7 decimals on the ledger')
    })
  })

  test('names a database without a schema, and migrates nothing', async () => {
    await using database = await bareDatabase()
    const ran = await preflight({ DATABASE_URL: database.url })
    expect(ran.code).toBe(1)
    expect(lines(ran)).toEqual([
      expect.stringMatching(/^svc preflight: schema: the schema lacks 0001.*: svc migrate brings/),
    ])
    expect((await preflight({ DATABASE_URL: database.url })).err).toBe(ran.err)
  })

  test('a wrong setting ends with 78, as a facilitator does', async () => {
    const ran = await preflight({ TESTNET_RPC_URL: 'nonsense' })
    expect(ran.code).toBe(78)
    expect(ran.err).toContain('TESTNET_RPC_URL')
  })
})
