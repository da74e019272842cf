/** Only for this repository. Without it, Next.js would run the file of a parent folder. */
export function register() {}
