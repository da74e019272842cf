/** For this repository alone: without it, Next would run that of a folder above. */
export function register() {}
