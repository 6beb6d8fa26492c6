const NOT_SERVED = [404, 405, 410, 501]

/** Whether a status says that a server does not have what was asked for. Others say only that it does not give it now. */
export const isNotServed = (status: number): boolean => NOT_SERVED.includes(status)
