/** Places of a sponsor's key outside the replicas of the crash matrix. */
import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import { FeeBumpTransaction, TransactionBuilder, xdr } from '@stellar/stellar-sdk'
import type { AppliedTransaction } from '../../../src/localnet/closing/history.ts'
import { signerFromSeed } from '../../../src/stellar/accounts/signer.ts'
import { addressOf } from '../../../src/stellar/accounts/strkey.ts'
import type { Lane } from '../../support/crash-lane.ts'
import { moments } from '../../support/crash-round.ts'
import { transactionsAfter } from '../../support/ledger-view.ts'
import { noSoftHsm } from '../../support/softhsm/no-softhsm.ts'
import { startToken } from '../../support/softhsm/start-token.ts'
import { sponsorElsewhere, uriOf } from '../../support/sponsor-elsewhere.ts'
import { configOf, openFolder, startSidecar } from '../signing/sidecar-process.ts'
import type { SponsorPlace } from './matrix.ts'

export const inToken: SponsorPlace = {
  name: 'a token',
  missing: await noSoftHsm(),
  open: async () => {
    const token = await startToken()
    const sponsor = sponsorElsewhere(uriOf(token.place), addressOf(token.publicKey))
    return {
      sponsor: { ...sponsor, variables: token.environment },
      [Symbol.asyncDispose]: () => token[Symbol.asyncDispose](),
    }
  },
}

export const inSidecar: SponsorPlace = {
  name: 'a sidecar',
  hasLog: true,
  open: async () => {
    await using opened = new AsyncDisposableStack()
    const seed = randomBytes(32)
    const folder = opened.use(await openFolder(seed))
    const socketPath = folder.path('signer.sock')
    const policy = { dataEntries: ['x402.svc.dev/store'] }
    const sidecar = opened.use(await startSidecar(folder, configOf(folder, { socketPath }, policy)))
    const sponsor = sponsorElsewhere(`unix:${socketPath}`, signerFromSeed(seed).address)
    const resources = opened.move()
    return {
      sponsor,
      problems: async (lane) => {
        await sidecar.stop('SIGTERM')
        return problemsOfLog(folder.path('log.jsonl'), paidBy(lane, sponsor.address))
      },
      [Symbol.asyncDispose]: () => resources.disposeAsync(),
    }
  },
}

const verifier = 'examples/signer-sidecar/verify-log.ts'

/** What is wrong between the log of signatures and the transactions that the ledgers have of the sponsor. */
async function problemsOfLog(
  log: string,
  paid: readonly AppliedTransaction[],
): Promise<readonly string[]> {
  await promisify(execFile)(process.execPath, [verifier, log])
  const lines = (await readFile(log, 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const signed = new Set(lines.map(({ hash }) => hash))
  const bid = lines.reduce((sum, { fee }) => sum + BigInt(fee), 0n)
  const charged = paid.reduce((sum, each) => sum + feeOf(each), 0n)
  const settlements = lines.filter(({ purpose }) => purpose === 'settlement')
  return [
    ...(settlements.length < moments.length ? ['fewer settlements were signed than made'] : []),
    ...(signed.size < lines.length ? [`of ${lines.length} lines ${signed.size} differ`] : []),
    ...lines.filter(({ repeat }) => repeat).map(({ hash }) => `${hash} was signed again`),
    ...paid.filter(({ hash }) => !signed.has(hash)).map(({ hash }) => `${hash} is in no line`),
    ...(bid < charged ? [`${charged} stroops were charged, and ${bid} signed for`] : []),
  ]
}

const feeOf = ({ resultXdr }: AppliedTransaction): bigint =>
  xdr.TransactionResult.fromXdr(resultXdr).feeCharged

/** All transactions whose fee the sponsor has paid. */
const paidBy = ({ localnet }: Lane, sponsor: string): readonly AppliedTransaction[] =>
  transactionsAfter(localnet.network, 1).filter(({ envelopeXdr }) => {
    const sent = TransactionBuilder.fromXdr(
      Buffer.from(envelopeXdr).toString('base64'),
      localnet.network.passphrase,
    )
    return (sent instanceof FeeBumpTransaction ? sent.feeSource : sent.source) === sponsor
  })
