import { Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import { decimalAmount } from '../../platform/core/amounts/decimal.ts'
import type { AppliedTransaction } from '../closing/history.ts'
import type { Localnet } from '../network.ts'
import type { HttpAnswer, Route } from '../rpc/listener.ts'
import { toBase64 } from '../rpc/reads/xdr-fields.ts'
import { BadParameter, readAddress, readFaucetRequest } from './parameters.ts'
import type { FaucetRequest } from './transaction.ts'
import { FaucetFailure, STARTING_BALANCE } from './transaction.ts'

/** Resolves when the ledger with the payment has closed. */
type Pay = (request: FaucetRequest) => Promise<AppliedTransaction>

/** Like testnet's friendbot, pays 10,000 XLM to an account that has less. */
export function friendbotRoute(network: Localnet, pay: Pay): Route {
  return (parameters) =>
    answerErrors(async () => {
      const address = readAddress(parameters.get('addr') ?? '', ['G', 'C'])
      if (xlmOf(network, address) >= STARTING_BALANCE) {
        return problem('account already funded to starting balance')
      }
      const paid = await pay({ address, asset: 'XLM', amount: STARTING_BALANCE })
      return { status: 200, body: receipt(paid) }
    })
}

/** Pays USDC or XLM to accounts and contracts; creates the account and the trustline if missing. */
export function faucetRoute(pay: Pay): Route {
  return (parameters) =>
    answerErrors(async () => {
      const request = readFaucetRequest(parameters)
      const paid = await pay(request)
      const { address, asset, amount } = request
      const body = { ...receipt(paid), address, asset, amount: decimalAmount(amount, 7) }
      return { status: 200, body: { ...body, ledger: paid.ledger } }
    })
}

async function answerErrors(work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FaucetFailure) return problem(error.message)
    if (!(error instanceof BadParameter)) throw error
    return problem('The request you sent was invalid in some way.', {
      invalid_field: error.parameter,
      reason: error.message,
    })
  }
}

const receipt = ({ hash, successful, envelopeXdr }: AppliedTransaction) => ({
  successful,
  hash,
  envelope_xdr: toBase64(envelopeXdr),
})

const problem = (detail: string, extras?: Record<string, string>): HttpAnswer => ({
  status: 400,
  body: {
    type: 'https://stellar.org/friendbot-errors/bad_request',
    title: 'Bad Request',
    status: 400,
    detail,
    ...(extras ? { extras } : {}),
  },
})

/** XLM in stroops; 0 for contracts, as friendbot does not check theirs, and for missing accounts. */
function xlmOf(network: Localnet, address: string): bigint {
  if (!StrKey.isValidEd25519PublicKey(address)) return 0n
  const accountId = Keypair.fromPublicKey(address).xdrAccountId()
  const key = xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId }))
  const stored = network.entry(key.toXdr())
  if (!stored) return 0n
  const { data } = xdr.LedgerEntry.fromXdr(stored.entry)
  return data.type === 'account' ? data.account.balance : 0n
}
