import { Keypair, StrKey, xdr } from '@stellar/stellar-sdk'
import { decimalAmount } from '../../core/decimal.ts'
import type { AppliedTransaction } from '../history.ts'
import type { Localnet } from '../network.ts'
import type { HttpAnswer, Route } from '../rpc/listener.ts'
import { toBase64 } from '../rpc/xdr-fields.ts'
import type { FaucetRequest } from './parameters.ts'
import { BadParameter, readAddress, readFaucetRequest } from './parameters.ts'
import { FaucetFailure, STARTING_BALANCE } from './transaction.ts'

/** Pays a gift and resolves when the ledger that holds the payment has closed. */
type Pay = (gift: FaucetRequest) => Promise<AppliedTransaction>

/** Testnet's friendbot: 10,000 XLM for whoever has less than that. */
export function friendbotRoute(network: Localnet, pay: Pay): Route {
  return (parameters) =>
    answering(async () => {
      const address = readAddress(parameters.get('addr') ?? '', ['G', 'C'])
      if (lumensOf(network, address) >= STARTING_BALANCE) {
        return problem('account already funded to starting balance')
      }
      const paid = await pay({ address, asset: 'XLM', amount: STARTING_BALANCE })
      return { status: 200, body: receipt(paid) }
    })
}

/** USDC or XLM in any amount for accounts and contracts, with whatever they lack to hold it. */
export function faucetRoute(pay: Pay): Route {
  return (parameters) =>
    answering(async () => {
      const gift = readFaucetRequest(parameters)
      const paid = await pay(gift)
      const { address, asset, amount } = gift
      const body = { ...receipt(paid), address, asset, amount: decimalAmount(amount, 7) }
      return { status: 200, body: { ...body, ledger: paid.ledger } }
    })
}

async function answering(work: () => Promise<HttpAnswer>): Promise<HttpAnswer> {
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

/** In stroops; zero for contracts, whose balance friendbot does not look at, and for nobody. */
function lumensOf(network: Localnet, address: string): bigint {
  if (!StrKey.isValidEd25519PublicKey(address)) return 0n
  const accountId = Keypair.fromPublicKey(address).xdrAccountId()
  const key = xdr.LedgerKey.account(new xdr.LedgerKeyAccount({ accountId }))
  const stored = network.entry(key.toXdr())
  if (!stored) return 0n
  const { data } = xdr.LedgerEntry.fromXdr(stored.entry)
  return data.type === 'account' ? data.account.balance : 0n
}
