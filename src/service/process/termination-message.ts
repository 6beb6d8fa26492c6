import { writeFileSync } from 'node:fs'

/** Where a kubelet reads the message of a container that ended, by default. */
const TERMINATION_LOG = '/dev/termination-log'

/** Leaves a message in the status of the pod, where the operator reads it; does nothing outside of a pod. */
export function leaveTerminationMessage(message: string): void {
  try {
    writeFileSync(TERMINATION_LOG, message, { flag: 'r+' })
  } catch {
    // No kubelet has made the file, or it is not ours: the log has the message, too.
  }
}
