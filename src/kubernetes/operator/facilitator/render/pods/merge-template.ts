import { EVERY_MAIN_CONTAINER, mainContainers } from '../../../../crd/names/pods.ts'
import { isMembers, isSameElement, type Members } from '../../../../runtime/apply/merge-keys.ts'
import { strategicMerge } from '../../../../runtime/apply/strategic-merge.ts'
import { SECRETS_PATH } from '../../spec/secret-files.ts'

/** In pods of another part or Job they are not added beside its own. */
const isMain: ReadonlySet<unknown> = new Set(mainContainers)

/** Members of the main container without which it would not serve, or the operator could not tell whether it does. */
const protectedMembers = [
  'image',
  'imagePullPolicy',
  'command',
  'args',
  'ports',
  'startupProbe',
  'livenessProbe',
  'readinessProbe',
  'terminationMessagePolicy',
] as const

export interface TemplateParts {
  /** The pod template of the operator. Its first container is the main one. */
  readonly ours: Members
  /** The pod template of the spec. */
  readonly theirs: { readonly metadata?: unknown; readonly spec?: unknown }
  /** Names of the variables that the main container reads from its ConfigMap. */
  readonly variables: readonly string[]
  /** Whether the pod ends by itself: then further containers would keep it from ending. */
  readonly ends: boolean
}

export interface MergedTemplate {
  readonly template: Members
  /** Members of the spec's template that the operator replaced with its own. */
  readonly overridden: readonly string[]
}

/**
 * Merges the pod template of a spec into that of the operator by strategic merge. What pods need to serve and to
 * keep secrets stays as the operator has it.
 */
export function mergeTemplate({ ours, theirs, variables, ends }: TemplateParts): MergedTemplate {
  const { topologySpreadConstraints: _, containers, ...spec } = membersOf(theirs.spec)
  const [main] = listOf(membersOf(ours['spec'])['containers']).map(membersOf)
  const name = main?.['name']
  const given = listOf(containers).map(membersOf)
  const others = ends ? [] : given.filter((each) => !isMain.has(each['name']))
  const mains = given.filter(
    (each) => each['name'] === EVERY_MAIN_CONTAINER || each['name'] === name,
  )
  const patches = [
    { metadata: theirs.metadata, spec: { ...spec, containers: others } },
    ...mains.map((each) => ({ spec: { containers: [{ ...each, name, envFrom: undefined }] } })),
  ]
  const merged = membersOf(
    patches.reduce<unknown>(
      (template, patch) => strategicMerge(template, patch, ['spec', 'template']),
      ours,
    ),
  )
  const sources = mains.flatMap((each) => listOf(each['envFrom']))
  return restored(merged, { ours, sources, variables })
}

interface Restoring {
  readonly ours: Members
  /** Further sources of variables of the main container. */
  readonly sources: readonly unknown[]
  readonly variables: readonly string[]
}

function restored(merged: Members, { ours, sources, variables }: Restoring): MergedTemplate {
  const overridden: string[] = []
  const note = (member: string, isOverridden: boolean) => {
    if (isOverridden) overridden.push(`spec.${member}`)
  }
  const [ourSpec, spec] = [membersOf(ours['spec']), membersOf(merged['spec'])]
  const [ourMain] = listOf(ourSpec['containers']).map(membersOf)
  const [main, ...others] = listOf(spec['containers']).map(membersOf)
  if (!ourMain || !main) return { template: ours, overridden: ['spec.containers'] }

  const grace = 'terminationGracePeriodSeconds'
  const tooShort = Number(spec[grace] ?? 0) < Number(ourSpec[grace] ?? 0)
  note(grace, tooShort)
  const isSecretsVolume = (volume: unknown) => membersOf(volume)['name'] === 'secrets'
  const [ourSecrets] = listOf(ourSpec['volumes']).filter(isSecretsVolume)
  note('volumes[secrets]', !isEqual(listOf(spec['volumes']).find(isSecretsVolume), ourSecrets))

  const template = {
    ...merged,
    spec: {
      ...spec,
      ...(tooShort && { [grace]: ourSpec[grace] }),
      containers: [restoreMain({ main, ourMain, sources, variables, note }), ...others],
      volumes: listOf(spec['volumes'])
        .filter((volume) => !isSecretsVolume(volume))
        .concat(ourSecrets ?? []),
    },
  }
  return { template, overridden }
}

function restoreMain({
  main,
  ourMain,
  sources,
  variables,
  note,
}: Omit<Restoring, 'ours'> & {
  readonly main: Members
  readonly ourMain: Members
  readonly note: (member: string, isOverridden: boolean) => void
}): Members {
  const title = `containers[${String(ourMain['name'])}]`
  const ourPorts = listOf(ourMain['ports'])
  const ports = [...ourPorts, ...listOf(main['ports']).filter((port) => !clashes(port, ourPorts))]
  const members = { ...main, ...(ports.length > 0 && { ports }) }
  const kept = protectedMembers.map((member) => {
    const value = member === 'ports' ? members.ports : ourMain[member]
    note(`${title}.${member}`, !isEqual(main[member], value))
    return [member, value] as const
  })
  const [ourHooks, hooks] = [membersOf(ourMain['lifecycle']), membersOf(main['lifecycle'])]
  note(`${title}.lifecycle.preStop`, !isEqual(hooks['preStop'], ourHooks['preStop']))
  const lifecycle = { ...hooks, preStop: ourHooks['preStop'] }

  const isSecretsMount = (mount: unknown) => membersOf(mount)['mountPath'] === SECRETS_PATH
  const ourMounts = listOf(ourMain['volumeMounts']).filter(isSecretsMount)
  const mounts = listOf(main['volumeMounts'])
  note(`${title}.volumeMounts`, !isEqual(mounts.filter(isSecretsMount), ourMounts))

  const ourEnv = listOf(ourMain['env'])
  const names = [...variables, ...ourEnv.map((each) => String(membersOf(each)['name']))]
  const reserved = new Set(names.flatMap(spellings))
  const env = listOf(main['env']).filter((each) => {
    const { name } = membersOf(each)
    const isOurs = reserved.has(String(name))
    const differs = !ourEnv.some((our) => isEqual(our, each))
    note(`${title}.env[${String(name)}]`, isOurs && differs)
    return !isOurs
  })
  const envFrom = [...sources, ...listOf(ourMain['envFrom'])]
  return withoutUndefined({
    ...members,
    ...Object.fromEntries(kept),
    env: ourEnv.length + env.length > 0 ? [...ourEnv, ...env] : undefined,
    // When two sources have the same variable, the later one counts.
    envFrom: envFrom.length > 0 ? envFrom : undefined,
    lifecycle: lifecycle.preStop === undefined ? main['lifecycle'] : lifecycle,
    volumeMounts: [...mounts.filter((mount) => !isSecretsMount(mount)), ...ourMounts],
  })
}

/** A variable and the one that names a file with its value: the service refuses both together. */
const spellings = (name: string): readonly string[] => [
  name,
  name.endsWith('_FILE') ? name.slice(0, -'_FILE'.length) : `${name}_FILE`,
]

/** Whether a port has the number or the name of one of ours. */
const clashes = (port: unknown, ours: readonly unknown[]): boolean =>
  ours.some(
    (our) =>
      isSameElement(port, our, ['containerPort', 'protocol']) ||
      membersOf(port)['name'] === membersOf(our)['name'],
  )

const isEqual = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other)

/** Members in the order of their names, so that equal values have equal texts. */
const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) =>
    isMembers(each)
      ? Object.fromEntries(
          Object.entries(each).toSorted(([one], [other]) => (one < other ? -1 : 1)),
        )
      : each,
  ) ?? ''

const withoutUndefined = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

const membersOf = (value: unknown): Members => (isMembers(value) ? value : {})

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
