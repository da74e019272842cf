const DEFAULT_ACCESS_LEVEL = 'standard';

/** The account's access level: the custom claim `accessLevel`, else `standard`, also for a claim unfit for a cookie. */
export function getAccessLevel(claims: Record<string, unknown> | undefined): string {
  const level = claims?.accessLevel;
  return typeof level === 'string' && /^[\w.-]{1,64}$/.test(level) ? level : DEFAULT_ACCESS_LEVEL;
}
