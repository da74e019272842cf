/** Sign-up constants (specification, section 5). */
export const SIGN_UP = { passwordMin: 8, emailMin: 6, nameMin: 3, nameMax: 28 } as const;
