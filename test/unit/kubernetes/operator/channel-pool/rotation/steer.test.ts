import { describe, expect, test } from 'vitest'
import {
  startOf,
  steered,
} from '../../../../../../src/kubernetes/operator/channel-pool/rotation/steer.ts'
import type { Rotation } from '../../../../../../src/kubernetes/operator/references/rotation-state.ts'
import type { RotationPhase } from '../../../../../../src/payments/channels/rotation/phase-names.ts'
import { sponsors } from '../../../../../support/api/sponsors.ts'
import {
  addressA,
  addressB,
  NOW,
  poolNaming,
  rotation,
  secretA,
  sourceA,
  sourceB,
  sourceC,
} from './rotations.ts'

const specNaming = (...args: Parameters<typeof poolNaming>) => poolNaming(...args).spec

const status = (accounts: number) =>
  ({
    sponsor: { address: addressA, source: sourceA },
    channels: { wanted: 8, ready: 8, inUse: 0, draining: 0, quarantined: 0, accounts },
  }) as const
const at = { address: addressA, newAddress: addressB, now: NOW }

describe('startOf', () => {
  test('begins a rotation when the spec names another Secret', () => {
    const start = startOf(poolNaming(sourceB, { status: status(8) }), at)
    expect(start).toMatchObject({
      kind: 'rotate',
      rotation: {
        phase: 'Checking',
        step: 1,
        mode: 'Planned',
        serving: 'From',
        from: { address: addressA, source: sourceA },
        to: { address: addressB, source: sourceB },
      },
    })
  })

  test('begins one before the new Secret exists, and counts its steps on', () => {
    const ended = { ...status(8), rotation: rotation({ phase: 'Done', step: 9 }) }
    const start = startOf(poolNaming(sourceC, { status: ended }), { ...at, newAddress: undefined })
    expect(start).toMatchObject({
      kind: 'rotate',
      rotation: { step: 10, to: { source: sourceC } },
    })
  })

  test('does nothing while the spec names the Secret in use', () => {
    expect(startOf(poolNaming(sourceA, { status: status(8) }), at)).toEqual({ kind: 'none' })
  })

  test('needs no rotation for the same seed in another Secret, or for a pool without channels', () => {
    const same = { ...at, newAddress: addressA }
    expect(startOf(poolNaming(sourceB, { status: status(8) }), same)).toEqual({ kind: 'switch' })
    expect(startOf(poolNaming(sourceB, { status: status(0) }), at)).toEqual({ kind: 'switch' })
  })

  test('refuses another place of the same key while channels exist whose keys would change', () => {
    const signer = { address: addressA, pkcs11: sponsors.pkcs11.pkcs11 }
    const same = { ...at, newAddress: addressA }
    const refused = startOf(poolNaming(signer, { status: status(8) }), same)
    expect(refused).toMatchObject({ kind: 'refuse' })
    expect(JSON.stringify(refused)).toContain('set spec.channels to 0')
    expect(startOf(poolNaming(signer, { status: status(0) }), same)).toEqual({ kind: 'switch' })
    // From one signer to another the keys stay.
    const ofSigner = { ...status(8), sponsor: { address: addressA, source: signer } }
    const vault = { address: addressA, vault: sponsors.vault.vault }
    expect(startOf(poolNaming(vault, { status: ofSigner }), same)).toEqual({ kind: 'switch' })
  })

  test('rotates between a seed and a signer', () => {
    const signer = { address: addressB, pkcs11: sponsors.pkcs11.pkcs11 }
    expect(startOf(poolNaming(signer, { status: status(8) }), at)).toMatchObject({
      kind: 'rotate',
      rotation: { from: { source: sourceA }, to: { address: addressB, source: signer } },
    })
  })

  test('takes another key of the same Secret for another sponsor', () => {
    const other = poolNaming({ secretRef: { ...secretA, key: 'next' } }, { status: status(8) })
    expect(startOf(other, at).kind).toBe('rotate')
  })
})

const phaseAfter = ({ phase, aborting, serving }: Rotation) => ({ phase, aborting, serving })

describe('a spec that names the old Secret again', () => {
  test.each<{ phase: RotationPhase; serving: Rotation['serving']; leads: RotationPhase }>([
    { phase: 'Checking', serving: 'From', leads: 'Aborted' },
    { phase: 'Provisioning', serving: 'From', leads: 'Unmounting' },
    { phase: 'Introducing', serving: 'From', leads: 'Unmounting' },
    { phase: 'Moving', serving: 'To', leads: 'Moving' },
    { phase: 'Expiring', serving: 'To', leads: 'Moving' },
    { phase: 'Unmounting', serving: 'To', leads: 'Moving' },
  ])('leads back from $phase through $leads', ({ phase, serving, leads }) => {
    const before = rotation({ phase, serving, step: 3 })
    const next = steered(before, specNaming(sourceA), NOW)
    expect(phaseAfter(next)).toEqual({ phase: leads, aborting: true, serving: 'From' })
    expect(next.step).toBe(4)
    // Read again, as after a crash, the same spec changes nothing more.
    expect(steered(next, specNaming(sourceA), NOW)).toBe(next)
  })

  test.each(['Retiring', 'Sweeping', 'Done', 'Aborted'] as const)('does nothing in %s', (phase) => {
    const before = rotation({ phase, serving: 'To' })
    expect(steered(before, specNaming(sourceA), NOW)).toBe(before)
  })

  test.each(['Rescuing', 'Provisioning', 'Moving'] as const)(
    'does nothing in %s of an emergency: the funds have gone',
    (phase) => {
      const before = rotation({ phase, mode: 'Emergency' })
      expect(steered(before, specNaming(sourceA), NOW)).toBe(before)
    },
  )
})

describe('a spec that names a third Secret', () => {
  test('begins the check again with it', () => {
    const next = steered(rotation({ step: 2 }), specNaming(sourceC), NOW)
    expect(next).toMatchObject({ phase: 'Checking', step: 3, to: { source: sourceC } })
    expect(next.to.address).toBeUndefined()
  })

  test.each(['Provisioning', 'Introducing', 'Moving', 'Expiring', 'Unmounting'] as const)(
    'leads back from %s, before the next rotation begins',
    (phase) => {
      const serving = phase === 'Provisioning' || phase === 'Introducing' ? 'From' : 'To'
      const next = steered(rotation({ phase, serving }), specNaming(sourceC), NOW)
      expect(next).toMatchObject({ aborting: true, serving: 'From', to: { source: sourceB } })
    },
  )

  test('waits for the end of a rotation that retires already', () => {
    const before = rotation({ phase: 'Retiring', serving: 'To' })
    expect(steered(before, specNaming(sourceC), NOW)).toBe(before)
  })
})

describe('a spec that names the new Secret again on the way back', () => {
  test('goes on where pods never served the new sponsor', () => {
    const before = rotation({ phase: 'Unmounting', aborting: true })
    const next = steered(before, specNaming(sourceB), NOW)
    expect(phaseAfter(next)).toEqual({ phase: 'Provisioning', aborting: false, serving: 'From' })
  })

  test.each(['Moving', 'Expiring'] as const)(
    'keeps the seed of the new sponsor in the pods from %s on',
    (phase) => {
      const next = steered(rotation({ phase, aborting: true }), specNaming(sourceB), NOW)
      expect(phaseAfter(next)).toEqual({ phase: 'Introducing', aborting: false, serving: 'From' })
    },
  )

  test('comes too late once its channels are merged', () => {
    const before = rotation({ phase: 'Retiring', aborting: true })
    expect(steered(before, specNaming(sourceB), NOW)).toBe(before)
  })
})

describe('a mode that becomes Emergency', () => {
  const emergency = specNaming(sourceB, { mode: 'Emergency' })

  test('counts for a check that is under way', () => {
    const next = steered(rotation(), emergency, NOW)
    expect(next).toMatchObject({ phase: 'Checking', mode: 'Emergency' })
    expect(steered(next, specNaming(sourceB), NOW).mode).toBe('Planned')
  })

  test.each(['Provisioning', 'Introducing', 'Moving', 'Expiring', 'Unmounting'] as const)(
    'sends the funds first from %s on, and pods that moved stay',
    (phase) => {
      const next = steered(rotation({ phase, serving: 'To' }), emergency, NOW)
      expect(next).toMatchObject({ phase: 'Rescuing', mode: 'Emergency', serving: 'To' })
      expect(steered(next, emergency, NOW)).toBe(next)
      // There is no way back to Planned.
      expect(steered(next, specNaming(sourceB), NOW)).toBe(next)
    },
  )

  test('changes nothing of a rotation that retires already', () => {
    const before = rotation({ phase: 'Retiring', serving: 'To' })
    expect(steered(before, emergency, NOW)).toBe(before)
  })
})
