import { isWithinDomain } from '@/lib/shared/callback/rules';

/** Whether a host name always resolves to this machine: localhost and below (RFC 6761, section 6.3), or loopback. */
export function isLocalHost(hostname: string): boolean {
  return isWithinDomain(hostname, 'localhost') || /^127(?:\.\d{1,3}){3}$/.test(hostname) || hostname === '[::1]';
}
