import type { Program } from '../program.ts'

/** Sums of a facilitator's histograms since its start. */
export interface StageTimes {
  /** Settlements that were signed, and the seconds of them all. */
  readonly signed: Sum
  /** Calls to the key service, and the seconds of them all; none where the seed is in the process. */
  readonly calls: Sum
}

export interface Sum {
  readonly count: number
  readonly seconds: number
}

/** From the service's own metrics. */
export async function readStageTimes({ ready }: Program): Promise<StageTimes> {
  const response = await fetch(`${String(ready['adminUrl'])}/metrics`)
  const text = await response.text()
  return {
    signed: sumOf(text, 'svc_payment_stage_duration_seconds', 'stage="sign"'),
    calls: sumOf(text, 'svc_signer_call_duration_seconds', 'outcome="signed"'),
  }
}

function sumOf(text: string, name: string, label: string): Sum {
  const value = (suffix: string) => {
    const line = new RegExp(`^${name}_${suffix}\\{[^}]*${label}[^}]*\\} (\\S+)$`, 'm')
    return Number(line.exec(text)?.[1] ?? 0)
  }
  return { count: value('count'), seconds: value('sum') }
}

export const since = (before: StageTimes, after: StageTimes): StageTimes => ({
  signed: difference(before.signed, after.signed),
  calls: difference(before.calls, after.calls),
})

const difference = (before: Sum, after: Sum): Sum => ({
  count: after.count - before.count,
  seconds: after.seconds - before.seconds,
})
