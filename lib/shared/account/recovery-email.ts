/** API routes about the recovery email. Not in `securityApiPaths`, which more pages load. */
export const recoveryEmailPaths = { change: '/api/account/recovery-email' } as const;
