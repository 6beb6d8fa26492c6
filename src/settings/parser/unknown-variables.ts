import { networkIds, variablePrefixes } from '../../platform/core/caip2.ts'
import { nearestWord } from '../../platform/core/text/nearest-word.ts'
import { operatorSettings } from '../operator.ts'
import { serveSettings } from '../rows/processes.ts'
import type { Row, SettingsTable } from '../rows/row.ts'
import { networkSettings } from '../sections/network-settings.ts'
import type { Variables } from './environment.ts'
import { sharedOf } from './settings.ts'

const prefixes = networkIds.map((id) => variablePrefixes[id])

/** The variables of a setting, with the one that names a file. */
const variablesOf = (name: string, { secret }: Row): string[] =>
  secret ? [name, `${name}_FILE`] : [name]

const namesOf = (table: SettingsTable): string[] =>
  Object.entries(table).flatMap(([name, declared]) => variablesOf(name, declared))

const common = [
  ...namesOf({ ...serveSettings, ...operatorSettings }),
  ...namesOf(sharedOf(networkSettings)),
]
const own = prefixes.flatMap((prefix) => namesOf(networkSettings).map((name) => `${prefix}${name}`))
/** Settings that each network must set itself. */
const unshared = namesOf(networkSettings).filter((name) => !common.includes(name))
const known = new Set([...common, ...own])

/** Kubernetes adds such variables for a Service named `testnet`. */
const ofService = /_SERVICE_(HOST|PORT)|_PORT(_\d+_(TCP|UDP))?(_|$)/
/** Shorter names are too near to each other: `PORT` and `PATH`. */
const MIN_LENGTH = 5
/** OpenTelemetry reads more of these than we do. */
const OTHERS = /^OTEL_/

/**
 * A sentence for each variable that looks like a setting and is none: it has the prefix of a network, or a name
 * near that of a setting which is not set. The process may have it for another program, so it is no problem.
 */
export function unknownVariables(variables: Variables): readonly string[] {
  return Object.entries(variables).flatMap(([name, value]) => {
    if (value === undefined || value === '' || known.has(name)) return []
    const prefix = prefixes.find((each) => name.startsWith(each))
    if (prefix !== undefined && ofService.test(name)) return []
    const meant = prefix ? meantByPrefixed(name, prefix) : meantByBare(name, variables)
    if (meant !== undefined) return [`${name} is no setting. Did you mean ${meant}?`]
    return prefix ? [`${name} is no setting, and is not read.`] : []
  })
}

function meantByPrefixed(name: string, prefix: string): string | undefined {
  const bare = name.slice(prefix.length)
  if (common.includes(bare)) return bare
  const meant = nearestWord(bare, namesOf(networkSettings))
  return meant && `${prefix}${meant}`
}

function meantByBare(name: string, variables: Variables): string | undefined {
  const isUnset = (candidate: string) => !variables[candidate]
  if (unshared.includes(name)) {
    const candidates = prefixes.map((prefix) => `${prefix}${name}`)
    return candidates.every(isUnset) ? candidates.join(' or ') : undefined
  }
  if (name.length < MIN_LENGTH || OTHERS.test(name)) return undefined
  const meant = nearestWord(name, [...common, ...own])
  const isNear = meant !== undefined && Math.abs(meant.length - name.length) <= 2
  return isNear && isUnset(meant) ? meant : undefined
}
