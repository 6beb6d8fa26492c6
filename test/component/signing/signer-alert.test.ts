import { expect, test } from 'vitest'
import { secretOfSeed } from '../../../src/stellar/accounts/signer.ts'
import {
  alertsOf,
  expectAlertSeries,
  ofFacilitator,
  samplesOf,
} from '../../support/alert-series.ts'
import { openPaymentStack } from '../../support/payment-stack.ts'
import { openWallet, payment } from '../../support/payments.ts'
import { unit } from '../../support/stack.ts'
import { configOf, openFolder, sponsor, startSidecar } from './sidecar-process.ts'

test('a facilitator whose signer ends has the series that the alert reads', async () => {
  await using folder = await openFolder()
  const socketPath = folder.path('signer.sock')
  const config = configOf(folder, { socketPath })
  await using sidecar = await startSidecar(folder, config)
  await using stack = await openPaymentStack({
    network: async (localnet) => {
      await localnet.pay({ address: sponsor.address, asset: 'XLM', amount: 100n * unit })
      return {
        sponsorSecret: undefined,
        sponsorAddress: sponsor.address,
        sponsorSigner: { kind: 'http', endpoint: { socketPath } },
        channelSecret: secretOfSeed(new Uint8Array(32).fill(9)),
        channelCount: 1,
        signerTimeoutMs: 10_000,
      }
    },
  })
  const exposed = async () => (await fetch(`${stack.baseUrl}/metrics`)).text()
  const isUp = async () =>
    /^svc_signer_up\{network="stellar:testnet"\} (\d)$/m.exec(await exposed())?.[1]
  await expect.poll(isUp, { timeout: 60_000 }).toBe('1')
  expectAlertSeries(samplesOf(await exposed(), ofFacilitator), alertsOf.signer)

  await sidecar.stop('SIGKILL')
  const [payer, seller] = [await openWallet(stack.localnet), await openWallet(stack.localnet)]
  const body = await payment(stack.localnet, { payer, payTo: seller.address })
  expect((await stack.post('/settle', body)).status).toBe(503)
  expect(await isUp()).toBe('0')
}, 240_000)
