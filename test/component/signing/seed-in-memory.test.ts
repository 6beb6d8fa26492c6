import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { secretOfSeed, signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { openWallet, payment } from '../../support/payments.ts'
import {
  descendantsOf,
  noProcessMemory,
  searchProcesses,
  seedForms,
} from '../../support/process-memory.ts'
import { noSoftHsm } from '../../support/softhsm/no-softhsm.ts'
import { startToken } from '../../support/softhsm/start-token.ts'
import { sponsorElsewhere, uriOf, variablesOf } from '../../support/sponsor-elsewhere.ts'
import { type AdminWorld, openAdminWorld, SvcProcess, XLM } from '../commands/admin-world.ts'
import { configOf, openFolder, startSidecar } from './sidecar-process.ts'

/* Whoever reads all memory of the facilitator's process finds no key of the sponsor there, where it lies elsewhere. */

const unreadable = noProcessMemory()
const withoutToken = await noSoftHsm()

describe('svc serve, after payments', { timeout: 240_000 }, () => {
  let world: AdminWorld
  beforeAll(async () => {
    world = await openAdminWorld()
  })
  beforeEach(({ skip }) => {
    if (unreadable !== undefined) skip(unreadable)
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  /** Starts it, makes payments, and searches it. Of what it started, whether any has a form of the seed. */
  async function searchService(
    seed: Uint8Array,
    variables: Readonly<Record<string, string | undefined>>,
  ) {
    const { address } = signerFromSeed(seed)
    await world.fund({ address, secret: '', authority: '' }, 100n * XLM)
    const env = world.env(
      { address, secret: '', authority: '' },
      { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', EXPLORER_ENABLED: 'false', ...variables },
    )
    using service = new SvcProcess(env, 'serve')
    const [, url] = await service.printed(/"url":"([^"]+)".*Service is listening/)
    const [payer, seller] = [await openWallet(world.localnet), await openWallet(world.localnet, 1n)]
    for (const amount of [1n, 2n]) {
      const body = await payment(world.localnet, { payer, payTo: seller.address, amount })
      const answer = await fetch(`${url}/settle`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
      expect(await answer.json()).toMatchObject({ success: true })
    }
    const forms = seedForms(seed)
    const children = descendantsOf(service.pid)
    const [own, ...others] = searchProcesses([service.pid, ...children], forms)
    // More than the program alone has.
    expect(own?.bytes).toBeGreaterThan(50_000_000)
    return {
      own: own?.found,
      environment: own?.environment,
      children: others.map(({ found }) => found),
      environments: others.flatMap((each) => each.environment),
    }
  }

  test('has the key of the sponsor in its memory and environment where SPONSOR_SECRET names it', async () => {
    const seed = randomBytes(32)
    const { own, environment } = await searchService(seed, {
      TESTNET_SPONSOR_SECRET: secretOfSeed(seed),
    })
    expect(own).toContain('S...')
    expect(own).toContain('bytes')
    expect(environment).toEqual(['S...'])
  })

  test('has none of it where the key lies in a sidecar', async () => {
    await using opened = new AsyncDisposableStack()
    const seed = randomBytes(32)
    const folder = opened.use(await openFolder(seed))
    const socketPath = folder.path('signer.sock')
    const policy = { dataEntries: ['x402.svc.dev/store'] }
    const sidecar = opened.use(await startSidecar(folder, configOf(folder, { socketPath }, policy)))
    const sponsor = sponsorElsewhere(`unix:${socketPath}`, signerFromSeed(seed).address)
    expect(await searchService(seed, variablesOf(sponsor))).toEqual({
      own: [],
      environment: [],
      children: [],
      environments: [],
    })
    // The search finds it where it is.
    const [searched] = searchProcesses([sidecar.child.pid!], seedForms(seed))
    expect(searched?.found).toContain('bytes')
  })

  test('has none of it where the key lies in a token', async ({ skip }) => {
    if (withoutToken !== undefined) return skip(withoutToken)
    await using token = await startToken()
    const seed = randomBytes(32)
    await token.deleteKeys()
    await token.importKey(seed)
    const sponsor = sponsorElsewhere(uriOf(token.place), signerFromSeed(seed).address)
    const { own, environment, children, environments } = await searchService(seed, {
      ...token.environment,
      ...variablesOf(sponsor),
    })
    expect({ own, environment, environments }).toEqual({
      own: [],
      environment: [],
      environments: [],
    })
    // SoftHSM is a token in software: it decrypts the key for each signature in the process of its library, where it may be found. A token
    // of hardware gives it to no process.
    expect(children).toHaveLength(1)
  })
})
