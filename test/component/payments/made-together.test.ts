/** Two payments of one payer that a stranger makes in one call, whose envelopes then fail. */
import { Address, Operation, xdr } from '@stellar/stellar-sdk'
import { expect, test } from 'vitest'
import { transactionsAfter, transfersOf } from '../../support/ledger-view.ts'
import { addressValue, openWallet, type PaymentBody, usdc } from '../../support/payments.ts'
import { startRpcProxy } from '../../support/rpc-proxy.ts'
import { rowOf, untilState } from './store-view.ts'
import { openWorld } from './world.ts'

type Entry = xdr.SorobanAuthorizationEntry

function entryOf(body: PaymentBody): Entry {
  const given = String(body.paymentPayload.payload['transaction'])
  const envelope = xdr.TransactionEnvelope.fromXdr(given, 'base64')
  const call = envelope.type === 'envelopeTypeTx' && envelope.v1.tx.operations[0]?.body
  const entry = call && call.type === 'invokeHostFunction' && call.invokeHostFunctionOp.auth[0]
  if (!entry) throw new Error('not a payment')
  return entry
}

function argumentsOf({ rootInvocation: { function: called } }: Entry): xdr.ScVal {
  if (called.type !== 'sorobanAuthorizedFunctionTypeContractFn') throw new Error('not a payment')
  return xdr.ScVal.scvVec([...called.contractFn.args])
}

/** Nobody signed it: it has the nonce of one entry, and the call of the other. */
function unsigned({ credentials }: Entry, { rootInvocation }: Entry): Entry {
  if (credentials.type !== 'sorobanCredentialsAddressV2') throw new Error('not a payment')
  const { address, nonce, signatureExpirationLedger } = credentials.addressV2
  const signature = xdr.ScVal.scvVoid()
  return new xdr.SorobanAuthorizationEntry({
    credentials: xdr.SorobanCredentials.sorobanCredentialsAddressV2(
      new xdr.SorobanAddressCredentials({ address, nonce, signatureExpirationLedger, signature }),
    ),
    rootInvocation,
  })
}

test('two payments have succeeded that a stranger makes in one call, beside unsigned entries with the calls exchanged', async () => {
  await using proxy = await startRpcProxy()
  await using world = await openWorld({
    rpcThrough: proxy.forwardTo,
    reconcileIntervalMs: 100,
    timings: { rebroadcastMs: 200, stopWaitMs: 50 },
  })
  const { stack, deployer } = world
  const { localnet } = stack
  const batch = await deployer.batch()
  const other = await openWallet(localnet, 1n)
  const bodies = [await world.pay(), await world.pay({ payTo: other.address, amount: 70_000n })]
  const before = localnet.network.latest.sequence
  proxy.fail('sendTransaction', { kind: 'swallow' })
  const settling = bodies.map((body) => stack.post('/settle', body))
  for (const body of bodies) await untilState(stack, body, 'submitted')

  const [one, two] = bodies.map(entryOf) as [Entry, Entry]
  const call = new xdr.InvokeContractArgs({
    contractAddress: Address.fromString(batch).toScAddress(),
    functionName: 'both',
    args: [addressValue(usdc), argumentsOf(one), argumentsOf(two)],
  })
  const func = xdr.HostFunction.hostFunctionTypeInvokeContract(call)
  const auth = [one, two, unsigned(two, one), unsigned(one, two)]
  await deployer.send(Operation.invokeHostFunction({ func, auth }))
  proxy.heal('sendTransaction')

  const answers = await Promise.all(settling)
  for (const { body } of answers) expect(body).toMatchObject({ success: true })
  expect(new Set(answers.map(({ body }) => Object(body).transaction)).size).toBe(1)
  for (const body of bodies) expect(await rowOf(stack, body)).toMatchObject({ state: 'succeeded' })
  const made = transactionsAfter(localnet.network, before).flatMap(transfersOf)
  expect(made.map(({ amount }) => amount).sort()).toEqual([100_000n, 70_000n].sort())
})
