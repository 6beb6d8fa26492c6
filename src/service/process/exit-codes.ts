/** The exit codes that every command shares. Those of one command alone stand on its help page. */

/** The command line was not understood (`EX_USAGE` of sysexits.h). */
export const EX_USAGE = 64
/** Something that the program needs is missing here, such as Node 24 (`EX_UNAVAILABLE` of sysexits.h). */
export const EX_UNAVAILABLE = 69
/** Ended by Ctrl-C before the work was done: 128 + SIGINT. */
export const INTERRUPTED = 130
/** Ended by SIGTERM before the work was done: 128 + SIGTERM. */
const TERMINATED = 143

/** Every exit code of `svc`, for the page of the command line. */
export const exitCodes: Readonly<Record<number, string>> = {
  0: 'the command did what it was asked to',
  1: 'it did not, or only in part; standard error says why',
  2: 'of `svc pay` and `svc kube pay`: the payment was made, or may have been, without a good answer; look before you pay again',
  3: 'of `svc provision`, `svc retire`, `svc rotate`, `svc upto` and `svc settlements resolve`: not confirmed at the terminal; nothing was changed. Of `svc kube`: the API server is not reachable',
  4: 'of `svc kube`: there is no such object, or a right to it is missing',
  [EX_USAGE]: 'the command line was not understood; nothing was done',
  [EX_UNAVAILABLE]: 'Node is too old, or the image leaves this command out',
  75: 'of `svc pay`: an earlier payment for the same call is open, and nothing more was signed; try again later',
  78: 'the configuration is wrong, and every problem is listed, or the database refuses what it says',
  [INTERRUPTED]: 'Ctrl-C ended it before it was done',
  [TERMINATED]: 'SIGTERM ended it before it was done',
}
