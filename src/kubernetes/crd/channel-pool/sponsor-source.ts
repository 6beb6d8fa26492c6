import { z } from 'zod'
import { secretKeyOf, secretKeyRef } from '../fields/fields.ts'

/** `spec.sponsor`: where the key of the sponsor lies. */
export const sponsorSource = z.object({
  secretRef: secretKeyRef('secret', 'the seed (S...) of the sponsor').describe(
    'A Secret with the seed of the sponsor.',
  ),
})

/** The same in a status, with every default filled in. */
export const sponsorSourceOf = () =>
  z.object({ secretRef: secretKeyOf().describe('The Secret with its seed.') })

/** Where the key of a sponsor lies. */
export type SponsorSource = Readonly<z.output<ReturnType<typeof sponsorSourceOf>>>
