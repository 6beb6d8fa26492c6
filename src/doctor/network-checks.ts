import { channelChecks } from './channel-checks.ts'
import { paymentChecks } from './payment-checks.ts'
import { rpcChecks } from './rpc-checks.ts'
import { sponsorChecks } from './sponsor-checks.ts'

/** What is asked of each network, after the service's own checks. */
export const networkChecks = [...rpcChecks, ...sponsorChecks, ...channelChecks, ...paymentChecks]
