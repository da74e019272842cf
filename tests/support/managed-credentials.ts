/**
 * Kinds of password managers, by how their credentials differ from the browser's.
 * `bare`: only own members, in an older browser without the JSON functions.
 * `throwing`: methods that throw like methods of another object.
 * `inherited`: the browser's prototypes, whose members throw unless the object replaces them.
 * `foreign`: methods bound to another object, which respond for it, and functions for password managers that never
 * respond.
 */
export const MANAGED_KINDS = ['bare', 'throwing', 'inherited', 'foreign'] as const;
export type ManagedKind = (typeof MANAGED_KINDS)[number];

/**
 * Puts a password manager between the page and `navigator.credentials`, as extensions do. This is also a page's init
 * script, so it uses nothing outside of itself.
 */
export function manageCredentials(kind: ManagedKind): void {
  const container = navigator.credentials;
  const [get, create] = [container.get.bind(container), container.create.bind(container)];
  const illegal = () => {
    throw new TypeError('Illegal invocation');
  };
  const methods = (answers: Record<string, unknown>): Record<string, unknown> => {
    if (kind === 'throwing') return Object.fromEntries(Object.keys(answers).map((name) => [name, illegal]));
    if (kind === 'foreign')
      return Object.fromEntries(Object.entries(answers).map(([name, answer]) => [name, () => answer]));
    return {};
  };
  const inherit = (constructor: string, own: Record<string, unknown>): object => {
    const { prototype } = (globalThis as unknown as Record<string, { prototype: object }>)[constructor] ?? {};
    const base = kind === 'inherited' && prototype !== undefined ? prototype : Object.prototype;
    const properties = Object.entries(own).map(([name, value]) => [name, { value, enumerable: true }]);
    return Object.create(base, Object.fromEntries(properties) as PropertyDescriptorMap) as object;
  };
  // Returns a view into a larger buffer, like the memory of a WebAssembly module.
  const view = (bytes: ArrayBuffer) => {
    const memory = new Uint8Array(bytes.byteLength + 8);
    memory.set(new Uint8Array(bytes), 4);
    return memory.subarray(4, bytes.byteLength + 4);
  };
  const copy = (bytes: ArrayBuffer | null) => (bytes === null || kind === 'inherited' ? bytes : view(bytes));
  const wrap = (found: Credential | null): Credential | null => {
    if (found === null) return null;
    const { id, rawId, response } = found as PublicKeyCredential;
    const { clientDataJSON } = response;
    const isNew = 'attestationObject' in response;
    const bytes = isNew
      ? { attestationObject: copy((response as AuthenticatorAttestationResponse).attestationObject) }
      : {
          authenticatorData: copy((response as AuthenticatorAssertionResponse).authenticatorData),
          signature: copy((response as AuthenticatorAssertionResponse).signature),
          userHandle: copy((response as AuthenticatorAssertionResponse).userHandle),
        };
    const answered = inherit(isNew ? 'AuthenticatorAttestationResponse' : 'AuthenticatorAssertionResponse', {
      clientDataJSON: copy(clientDataJSON),
      ...bytes,
      ...methods({ getTransports: null, getPublicKey: null, getPublicKeyAlgorithm: 0, getAuthenticatorData: null }),
    });
    return inherit('PublicKeyCredential', {
      id,
      rawId: copy(rawId),
      type: 'public-key',
      response: answered,
      ...methods({ toJSON: {}, getClientExtensionResults: null }),
    }) as Credential;
  };
  container.get = (options) => get(options).then(wrap);
  container.create = (options) => create(options).then(wrap);
  const means = PublicKeyCredential as unknown as Record<string, unknown>;
  if (kind === 'bare') {
    means.parseRequestOptionsFromJSON = undefined;
    means.parseCreationOptionsFromJSON = undefined;
  }
  const never = () => new Promise(() => undefined);
  if (kind === 'throwing' || kind === 'foreign')
    for (const name of ['signalAllAcceptedCredentials', 'signalCurrentUserDetails', 'signalUnknownCredential'])
      means[name] = kind === 'throwing' ? illegal : never;
}
