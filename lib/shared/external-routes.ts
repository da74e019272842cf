import { serverPaths, wellKnownRoutes } from './paths';

/**
 * Maps externally defined paths to the API routes that handle them. Not in the framework's configuration, because its
 * rewrites are sent to every browser together with the code that evaluates them.
 */
export function getExternalRoute(pathname: string): string | null {
  // The specification defines this path for error and replay traffic.
  if (pathname === '/monitoring') return serverPaths.errorTunnel;
  const wellKnown = wellKnownRoutes.get(pathname);
  if (wellKnown !== undefined) return wellKnown;
  // The identity provider's sign-in helper, on our own host (docs/adr/0010).
  const helper = /^\/__\/((?:auth|firebase)(?:\/.*)?)$/.exec(pathname);
  return helper ? `${serverPaths.authHelper}/${helper[1] ?? ''}` : null;
}
