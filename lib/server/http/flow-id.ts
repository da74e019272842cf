import * as z from 'zod/mini';

/** Ids of flows (docs/adr/0022): ours, and the UUIDs of the version before. */
const FLOW_ID = /^[\w-]{8,36}$/;

export function isFlowId(value: unknown): value is string {
  return typeof value === 'string' && FLOW_ID.test(value);
}

/** The flow of the page that sends a request; pages of the version before send none. */
export const flowField = z.optional(z.string().check(z.regex(FLOW_ID)));

/** The body of a request about a flow; pages of the version before send none. */
export const flowSchema = z.optional(z.object({ flow: flowField }));
