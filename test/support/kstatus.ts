/** The rules of kstatus (sigs.k8s.io/cli-utils) for a kind that it does not know, in its order. */
export type KStatus = 'InProgress' | 'Failed' | 'Current' | 'Terminating'

interface Judged {
  readonly metadata: { readonly generation?: number; readonly deletionTimestamp?: string }
  readonly status?: {
    readonly observedGeneration?: number | undefined
    readonly conditions?: readonly { readonly type: string; readonly status: string }[]
  }
}

export function kstatusOf({ metadata, status }: Judged): KStatus {
  if (metadata.deletionTimestamp !== undefined) return 'Terminating'
  const { observedGeneration, conditions = [] } = status ?? {}
  if (observedGeneration !== undefined && observedGeneration !== metadata.generation) {
    return 'InProgress'
  }
  // The first that is True decides, whichever it is.
  for (const condition of conditions) {
    if (condition.status !== 'True') continue
    if (condition.type === 'Reconciling') return 'InProgress'
    if (condition.type === 'Stalled') return 'Failed'
  }
  const ready = conditions.find(({ type }) => type === 'Ready')
  return ready === undefined || ready.status === 'True' ? 'Current' : 'InProgress'
}
