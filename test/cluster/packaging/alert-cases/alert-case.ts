/** One test of an alert: the series, the time of evaluation, and the expected description. */
export interface AlertCase {
  readonly alert: string
  /** Completes a sentence that starts with the alert. */
  readonly does: string
  /** Values by series, one per minute, in the notation of promtool. */
  readonly series: Readonly<Record<string, string>>
  readonly at: string
  /** Undefined: the alert does not fire. */
  readonly description?: string
  /** Labels of the alert in addition to its severity. */
  readonly labels?: Readonly<Record<string, string>>
}
