export { handleOidc, isOidcOffered } from './handler';
export { requiresReauthentication } from './interaction';
