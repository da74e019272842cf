/**
 * Stands in for i18next in browsers (next.config.js). react-i18next asks it for this alone, and only for keys that are
 * functions, which this product has not.
 */
export const keyFromSelector = String;
