import type { DemoState } from './demo-folder.ts'

/** Where to go on while the demo serves, with lines to type as they stand. */
export function demoGuide(state: DemoState, payCommand: string): string {
  const places: [string, string][] = [
    ['paid API', state.paidUrl],
    ['facilitator', `${state.facilitatorUrl}/supported`],
    ['Stellar RPC', state.networkUrl],
    ['over https', state.rpcUrl],
    ['CA file', state.caFile],
    ['friendbot', `${state.networkUrl}/friendbot?addr=G...`],
    ['faucet', `${state.networkUrl}/faucet?addr=G...&asset=USDC&amount=10`],
  ]
  return [
    'Now yours:',
    '',
    ...places.map(([label, value]) => `  ${label.padEnd(13)}${value}`),
    '',
    '  See the price (402):',
    `    curl -i ${state.paidUrl}`,
    `    curl -si ${state.paidUrl} | sed -n 's/^PAYMENT-REQUIRED: //p' | base64 -d`,
    '  Pay again:',
    `    ${payCommand}`,
    '  Pay with a stock client of yours: set its RPC to the https address and start Node with',
    `    NODE_EXTRA_CA_CERTS=${state.caFile}`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n')
}
