import { GROUP } from '../../crd/names/group.ts'
import type { KnownSecrets } from './known-secrets.ts'
import { ourContainers } from './our-containers.ts'
import { REDACTED, scrubText } from './scrub-text.ts'

/*
 * Objects for a report. The rules say what stays, not what goes: a podTemplate and annotations are free text of
 * people, who may have put a password anywhere.
 */

type Json = Readonly<Record<string, unknown>>

/** Annotations whose value is no free text. */
const knownAnnotation = new RegExp(
  `^(${GROUP.replaceAll('.', '\\.')}/|deployment\\.kubernetes\\.io/revision$|batch\\.kubernetes\\.io/|meta\\.helm\\.sh/release-)`,
)

/** Members of a container that hold no free text. Env is added by name. */
const containerMembers = [
  'name',
  'image',
  'imagePullPolicy',
  'ports',
  'resources',
  'restartPolicy',
  'volumeMounts',
  'securityContext',
  'terminationMessagePolicy',
]
const probes = ['livenessProbe', 'readinessProbe', 'startupProbe']
/** Settings that are no free text: numbers, durations, levels, networks. */
const PLAIN_SETTING =
  /^(true|false|\d{1,12}|\d{1,6}(ms|s|m|h)|trace|debug|info|warn|error|fatal|silent|postgres|stellar:(testnet|pubnet)(,stellar:(testnet|pubnet))?)$/

/** Volumes keep their source's kind and the names that it refers to. */
const volumeMembers = [
  'name',
  'configMap',
  'secret',
  'emptyDir',
  'persistentVolumeClaim',
  'projected',
  'downwardAPI',
]

/** Members of any object whose text is a secret. `secretName` and the like hold a name. */
const secretMembers =
  /(password|passwd|secret|token|api[-_]?key|authorization|cookie|credentials?|seed|xdr|digest|sha256)$/i

/** Members that name a transaction on the ledger, which is public. */
const hashMembers = /^(hash|transaction|unfinishedHashes|lastTransaction)$/i
const digestMembers = /^(digest|image|imageID)$/

/** A copy of an object without anything that may be secret. What it removes is learned. */
export function redactObject(value: unknown, known: KnownSecrets): unknown {
  return redact(value, '', known)
}

function redact(value: unknown, member: string, known: KnownSecrets): unknown {
  if (typeof value === 'string') return redactString(value, member, known)
  if (Array.isArray(value)) return value.map((each) => redactItem(each, member, known))
  if (typeof value !== 'object' || value === null) return value
  if (member === 'annotations') return redactAnnotations(value as Json, known)
  if (member === 'data' || member === 'binaryData' || member === 'stringData')
    return redactSettings(value as Json, known)
  const kept = Object.entries(value).filter(([name]) => name !== 'managedFields')
  return Object.fromEntries(kept.map(([name, each]) => [name, redact(each, name, known)]))
}

function redactItem(item: unknown, list: string, known: KnownSecrets): unknown {
  if (typeof item !== 'object' || item === null) return redact(item, list, known)
  if (list === 'containers' || list === 'initContainers' || list === 'ephemeralContainers') {
    return redactContainer(item as Json, known)
  }
  if (list === 'volumes') return picked(item as Json, volumeMembers, known)
  if (list === 'env') return redactEnv(item as Json, known)
  return redact(item, '', known)
}

function redactString(text: string, member: string, known: KnownSecrets): string {
  if (digestMembers.test(member) && /^[\w.:/-]*@?sha256:[0-9a-f]{64}$/.test(text)) return text
  if (secretMembers.test(member)) return hidden(text, known)
  if (text.includes('://')) known.learnAddress(text)
  return scrubText(text, { keepsHashes: hashMembers.test(member) })
}

function redactAnnotations(annotations: Json, known: KnownSecrets): Json {
  return mapValues(annotations, (value, name) => {
    // A digest of settings, of which a guess can be tested.
    if (name.startsWith(`${GROUP}/`) && name.endsWith('-hash')) return REDACTED
    if (knownAnnotation.test(name)) return scrubText(String(value), { keepsHashes: true })
    return hidden(value, known)
  })
}

/** The data of a ConfigMap: our pods' settings. */
const redactSettings = (data: Json, known: KnownSecrets): Json =>
  mapValues(data, (value) => (PLAIN_SETTING.test(String(value)) ? value : hidden(value, known)))

function redactContainer(container: Json, known: KnownSecrets): Json {
  const { name, args, command, env, envFrom } = container
  const isOurs = ourContainers.includes(String(name))
  const words = (list: unknown) =>
    Array.isArray(list)
      ? list.map((word) => (isOurs && /^[a-z]{1,20}$/.test(word) ? word : hidden(word, known)))
      : list
  const { args: _, command: __, env: ___, envFrom: ____, ...others } = container
  return {
    ...picked(others, isOurs ? [...containerMembers, ...probes] : containerMembers, known),
    ...(args !== undefined && { args: words(args) }),
    ...(command !== undefined && { command: words(command) }),
    ...(Array.isArray(env) && { env: env.map((each) => redactEnv(Object(each), known)) }),
    ...(envFrom !== undefined && { envFrom: redact(envFrom, 'envFrom', known) }),
  }
}

function redactEnv({ name, value, valueFrom }: Json, known: KnownSecrets): Json {
  if (value === undefined) return { name, valueFrom: redact(valueFrom, 'valueFrom', known) }
  return { name, value: PLAIN_SETTING.test(String(value)) ? value : hidden(value, known) }
}

function picked(object: Json, members: readonly string[], known: KnownSecrets): Json {
  const entries = Object.entries(object)
  for (const [name, value] of entries) if (!members.includes(name)) learnAll(value, known)
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      members.includes(name) ? redact(value, name, known) : REDACTED,
    ]),
  )
}

function hidden(value: unknown, known: KnownSecrets): string {
  learnAll(value, known)
  return REDACTED
}

function learnAll(value: unknown, known: KnownSecrets): void {
  if (typeof value === 'string') learn(value, known)
  else if (typeof value === 'object' && value !== null) {
    for (const each of Object.values(value)) learnAll(each, known)
  }
}

function learn(text: string, known: KnownSecrets): void {
  try {
    if (!text.startsWith('{')) known.learn(text)
    // A manifest in an annotation: what would be removed from it may be repeated elsewhere.
    else redact(JSON.parse(text), '', known)
  } catch {
    known.learn(text)
  }
}

const mapValues = (object: Json, change: (value: unknown, name: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]))
