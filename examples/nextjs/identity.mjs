// In a site of your own, the file itself.
export * from '../express/identity.mjs';
