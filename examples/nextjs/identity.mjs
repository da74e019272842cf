// In your own site, use the file itself.
export * from '../express/identity.mjs';
