import { shellWord } from '../../platform/core/text/shell-word.ts'
import { QUESTION } from '../observe/find-listing.ts'
import { METERED_PATH } from '../seller/metered-route.ts'
import type { DemoState } from '../state/demo-state.ts'

/** Commands of `svc` as a person types them. */
export interface GuideCommands {
  readonly pay: string
  /** Checks what a seller has signed. */
  readonly verify: string
  readonly status: string
}

/** The addresses of the running demo, and commands to try. */
export function demoGuide(state: DemoState, commands: GuideCommands): string {
  const places: [string, string][] = [
    ['paid API', state.paidUrl],
    ['metered API', state.meteredUrl],
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
    'In a second terminal, in this folder:',
    '',
    '  See the price (402):',
    `    curl -i ${state.paidUrl}`,
    `    curl -si ${state.paidUrl} |`,
    // A header ends with a carriage return, which base64 refuses.
    "      sed -n 's/^PAYMENT-REQUIRED: //p' | tr -d '\\r' | base64 -d; echo",
    '  Pay again:',
    `    ${commands.pay}`,
    '  Pay for what an answer uses, and never more than you sign:',
    `    ${commands.pay} '${METERED_PATH}?days=7' --max 0.05`,
    '  See the sponsor, its channels and the settlements:',
    `    ${commands.status}`,
    '  Ask the catalog for it:',
    // Short enough for a terminal of 80 columns.
    `    curl '${state.facilitatorUrl}/discovery/search?query=${QUESTION.replaceAll(' ', '+')}'`,
    '  Let clients trust the https address, its RPC:',
    `    export NODE_EXTRA_CA_CERTS=${shellWord(state.caFile)}`,
    '  Keep what the seller signs about a payment, and check it:',
    '    FILE=$(mktemp -d)/receipt.json',
    `    ${commands.pay} --save-receipt $FILE`,
    `    ${commands.verify} $FILE --rpc ${state.rpcUrl}`,
    '',
    'See the payments, who made them and what else was paid, in a browser:',
    '',
    `  ${state.explorerUrl}/ui/`,
    '',
    'Ctrl-C stops everything.',
    '',
  ].join('\n')
}
