import { command } from '../../command-line/command.ts'
import { flag, text } from '../../command-line/flags.ts'
import { UsageError } from '../../command-line/usage-error.ts'

export const receipt = command({
  name: 'receipt',
  summary: 'checks what the seller of a paid call has signed',
  usage: ['svc receipt verify FILE [--rpc URL | --offline] [--json]'],
  flags: {
    rpc: text('URL', 'Stellar RPC over https; of testnet the public one without it'),
    offline: flag('asks neither the ledger nor the site of the seller'),
    json: flag('prints one JSON object'),
  },
  actions: { verify: ['rpc', 'offline', 'json'] },
  positionals: ([file, ...rest], { rpc, offline }) => {
    if (file === undefined || rest.length > 0) throw new UsageError('expected verify with one file')
    if (offline && rpc !== undefined) throw new UsageError('--offline asks no --rpc: give one')
    return file
  },
  usageFailure: (message) => ({ error: 'usage', message }),
  notes: [
    'FILE is what svc pay --save-receipt wrote. Each verdict is valid, invalid, unknown or absent, and says why:',
    '',
    'offerSignature    whether the key that it names signed the offer as it is',
    'receiptSignature  the same of the receipt',
    'authority         whether the key may sign for the resource: it is that of the',
    '                  account that was paid (payTo), or published by the site of',
    '                  the resource (did:web)',
    'terms             whether offer and receipt are about this payment',
    'ledger            whether the transaction moved the amount of the asset from',
    '                  payer to payTo',
  ],
  env: [
    [
      'TESTNET_RPC_URL',
      'the Stellar RPC without --rpc; of several, the first. PUBNET_RPC_URL likewise',
    ],
  ],
  exits: {
    0: 'nothing is invalid or unknown, and there is a receipt',
    1: 'a verdict is invalid',
    2: 'none is invalid, and one is unknown, or there is no receipt',
  },
  example: 'svc receipt verify receipt.json',
  run: async ({ positionals: file, flags }) => {
    const { verifyFile } = await import('./verify-file.ts')
    return verifyFile(file, flags)
  },
})
