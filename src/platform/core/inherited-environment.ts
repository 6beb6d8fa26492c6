/** The variables of this process, for programs that it starts. Settings are not read from here. */
export const inheritedEnvironment = (): Readonly<Record<string, string | undefined>> => process.env
