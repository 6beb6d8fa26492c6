import type { DemoState } from './demo-state.ts'

/** The addresses of the running demo, and commands to try. */
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
    'Running now:',
    '',
    ...places.map(([label, value]) => `  ${label.padEnd(13)}${value}`),
    '',
    '  See the price (402):',
    `    curl -i ${state.paidUrl}`,
    `    curl -si ${state.paidUrl} | sed -n 's/^PAYMENT-REQUIRED: //p' | base64 -d`,
    '  Pay again:',
    `    ${payCommand}`,
    '  Pay with your own stock client: set its RPC to the https address and start Node with',
    `    NODE_EXTRA_CA_CERTS=${state.caFile}`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n')
}
