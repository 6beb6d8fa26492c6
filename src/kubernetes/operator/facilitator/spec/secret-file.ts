import type { FacilitatorReason } from '../../../crd/facilitator/conditions.ts'

export interface SecretRef {
  readonly name: string
  readonly key: string
}

export const secretId = ({ name, key }: SecretRef): string => `${name}/${key}`

/** Folder of the pods with one file per secret. */
export const SECRETS_PATH = '/etc/x402/secrets'

/** One secret as a file, and the variable that names the file. */
export interface SecretFile {
  readonly ref: SecretRef
  readonly file: string
  /** Undefined where something else names the file. */
  readonly variable: string | undefined
  /** Whether pods read it only when they start: then a new value rolls them. */
  readonly rolls: boolean
  /** What a Facilitator without it says; `todo` continues "There is no Secret NAME, key KEY, ". @default by the variable */
  readonly missing?: { readonly reason: FacilitatorReason; readonly todo: string } | undefined
}

/** A token of the pods' service account, as a file in the same folder. */
export interface PodToken {
  readonly audience: string
  readonly file: string
}
