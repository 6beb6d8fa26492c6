import type { KubeClient } from '../../../../../src/kubernetes/runtime/client/client.ts'
import { createClient } from '../../../../../src/kubernetes/runtime/client/client.ts'
import { openConnection } from '../../../../../src/kubernetes/runtime/client/connection.ts'
import { systemClock } from '../../../../../src/platform/core/time/clock.ts'

/** A client that no rate limit of its own slows down. */
export function clientFor(kubeconfig: string, fieldManager = 'kube-test'): KubeClient {
  const connection = openConnection({ clock: systemClock, kubeconfig })
  const names = { fieldManager, userAgent: 'kube-test' }
  return createClient({ connection, clock: systemClock, ...names, qps: 10_000, burst: 10_000 })
}
