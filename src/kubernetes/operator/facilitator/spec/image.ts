import type { Facilitator } from '../../../crd/facilitator.ts'

export interface PodImage {
  readonly reference: string
  readonly pullPolicy: 'IfNotPresent' | 'Always' | 'Never'
}

/** The image of the spec, else the operator's own; undefined when there is neither. */
export function podImage({ spec }: Facilitator, operatorImage: string): PodImage | undefined {
  const { image } = spec
  if (!image) {
    return operatorImage ? { reference: operatorImage, pullPolicy: 'IfNotPresent' } : undefined
  }
  const { repository, tag, digest, pullPolicy } = image
  const reference = digest === undefined ? `${repository}:${tag}` : `${repository}@${digest}`
  return { reference, pullPolicy }
}
