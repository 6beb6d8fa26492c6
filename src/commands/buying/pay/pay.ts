import { command } from '../../command-line/command.ts'
import { notConfirmedExit } from '../../command-line/confirm.ts'
import { keyVariables, uptoContractsVariable } from '../buyer-variables.ts'
import { payFlagNames, payFlags, resolveFlags } from './options.ts'
import { paySignals } from './patience.ts'

/* Each action loads what it needs once it is asked for: a help page needs no library of Stellar. */

export const pay = command({
  name: 'pay',
  summary: 'one paid call with the stock x402 client',
  usage: [
    'svc pay                   pays the API of the demo that runs here',
    'svc pay /PATH             pays another path of it: /forecast, whose price depends on its answer',
    'svc pay URL --max AMOUNT  pays any x402 API',
    'svc pay URL --quote       prints its price and signs nothing',
    "svc pay mcp+https://HOST/PATH#TOOL --data '{...}' --max AMOUNT   pays for a tool of an MCP server",
    'svc pay status REFERENCE  asks the ledger what became of a payment; needs no seed',
    'svc pay resolve           shows payments that only you can end: resolve ID --as paid|unpaid',
  ],
  flags: { ...payFlags, ...resolveFlags },
  actions: {
    '': payFlagNames,
    status: ['rpc', 'json', 'dir'],
    resolve: ['as', 'budget-file', 'yes', 'network', 'json'],
  },
  positionals: async (words, flags, action) => {
    switch (action) {
      case 'status': {
        const { askedOf } = await import('./status.ts')
        return { action, asked: askedOf(words, flags, process.env) } as const
      }
      case 'resolve': {
        const { resolvingOf } = await import('./resolve.ts')
        return { action, resolving: resolvingOf(words, flags, process.env) } as const
      }
      default: {
        const { payWords } = await import('./words.ts')
        return { action: '', call: payWords(words, flags, process.env) } as const
      }
    }
  },
  usageFailure: (message) => ({ paid: false, error: 'usage', message }),
  notes: [
    'Asks for the price, asks again, and pays only if the seller still wants the same: at most once, at most',
    '--max, on this network, in this token. Follows no redirect. The demo costs 1 USDC at most without --max.',
    'An earlier payment for the same method, URL and body whose answer was lost is not made again: a seller',
    'that knows payment identifiers gets the same payment once more, and with any other the command waits',
    'until it has expired and the ledger shows that it was not used.',
    'Prints the body of the answer and the hash of the transaction; for the demo a report. A metered call',
    '(scheme upto) also prints the ceiling that was signed, and what was used and paid.',
    'With --json a failure is {"paid","error","message","hint","transaction","answer","receipt"}, where paid is',
    'null if the outcome is unknown, error a fixed code, and answer what the seller said.',
    'Ctrl-C, SIGTERM and a closed terminal end it at once while nothing was signed. Later the answer may still',
    'come for 5 s, or until a second signal; without one the outcome is unknown. A failure after the payment',
    'was sent has the reference for status, which prints {"paid","state","amount","transaction"}.',
  ],
  env: [
    ...keyVariables,
    uptoContractsVariable,
    [
      'TESTNET_RPC_URL',
      'the Stellar RPC without --rpc; of several, the first. PUBNET_RPC_URL likewise',
    ],
    [
      'NODE_EXTRA_CA_CERTS',
      'PEM file of a certificate authority to trust, as for the embedded network',
    ],
  ],
  exits: {
    0: 'paid, or with --quote the price was printed',
    1: 'not paid, and why; of status: it moved nothing, and no longer can',
    2: 'a signed payment was sent, and there is no good answer, or it could not be written: look before paying again; of status: it is open, or the ledger does not say',
    ...notConfirmedExit,
    75: 'an earlier payment for the same call is open, and nothing more was signed',
    78: 'there is no seed, or what should hold it holds none',
    130: 'Ctrl-C ended it, and nothing was signed; 143 for SIGTERM, 129 for a closed terminal',
  },
  example: 'svc pay https://api.example/joke --max 0.05',
  handlesStop: true,
  run: async ({ positionals: asked, flags, ...given }) => {
    if (asked.action === 'resolve') {
      const { payResolve } = await import('./resolve.ts')
      return payResolve(asked.resolving, flags, given.stop)
    }
    const context = { flags, signals: paySignals(given) }
    if (asked.action === 'status') {
      const { payStatus } = await import('./status.ts')
      return payStatus(asked.asked, context)
    }
    const { payCall } = await import('./call.ts')
    return payCall(asked.call, context)
  },
})
