import type { Facilitator } from '../../crd/facilitator.ts'
import type { Members } from '../../runtime/apply/merge-keys.ts'

/**
 * The pod template of a spec with what items of its lists leave out. The definition has no such defaults: the lists are
 * atomic, so that of two field managers with the same manifest one would own the filled-in members. They are written
 * out, because a manifest that adds them must not replace pods.
 */
export function podTemplateOf({ spec: { podTemplate } }: Facilitator) {
  const { metadata, spec } = podTemplate
  const { tolerations, topologySpreadConstraints: constraints } = spec
  return {
    metadata,
    spec: {
      ...spec,
      ...(tolerations && {
        tolerations: tolerations.map((each) => ({ operator: 'Equal', ...each })),
      }),
      topologySpreadConstraints: constraints.map(
        (each): Members => ({
          maxSkew: 1,
          whenUnsatisfiable: 'ScheduleAnyway',
          ...each,
        }),
      ),
    },
  }
}
