/** The exit codes that every command shares. Those of one command alone stand on its help page. */

/** The command line was not understood (`EX_USAGE` of sysexits.h). */
export const EX_USAGE = 64
/** Something that the program needs is missing here, such as Node 24 (`EX_UNAVAILABLE` of sysexits.h). */
export const EX_UNAVAILABLE = 69
/** Ended by Ctrl-C before the work was done: 128 + SIGINT. */
export const INTERRUPTED = 130
