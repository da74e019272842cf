import { timingSafeEqual } from 'node:crypto';

/** Compares secrets in constant time. Only the length is revealed: compare digests if it is secret too. */
export function isEqualInConstantTime(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}
