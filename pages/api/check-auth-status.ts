export { checkAuthStatus as default } from '@/lib/server/web';

export const config = { api: { bodyParser: false } };
