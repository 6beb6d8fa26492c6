type Variables = Readonly<Record<string, string | undefined>>

/** Parts of names whose values are secrets, or URLs and headers that may hold one. */
const secret =
  /SECRET|SEED|PASS|PIN(_|$)|TOKEN(_|$)|(API|ACCESS|PRIVATE)_KEY|CREDENTIALS|DATABASE|HEADERS|URL(_|$)/i
/** These name a file. */
const path = /_(FILE|PATH|DIR|CONF|CONFIG)$/i

/**
 * The variables that a PKCS#11 library gets. Each library reads its own, such as SOFTHSM2_CONF, so it gets all but those with a secret of
 * the service in their value. Options of Node are for the service: one for a debugger would stop the child at its start.
 */
export const libraryEnvironment = (variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).filter(
      ([name]) => name !== 'NODE_OPTIONS' && (path.test(name) || !secret.test(name)),
    ),
  )
