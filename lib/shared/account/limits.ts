/** Sign-up constants (docs/product.md#validation). */
export const SIGN_UP = { passwordMin: 8, emailMin: 6, nameMin: 3, nameMax: 28 } as const;
