import { findSoftHsm } from '../../../src/demo/token/find-softhsm.ts'

/** Why tests with a token are skipped on this machine; undefined when it has SoftHSM. */
export async function noSoftHsm(): Promise<string | undefined> {
  const softHsm = await findSoftHsm()
  return 'reason' in softHsm ? softHsm.reason : undefined
}
