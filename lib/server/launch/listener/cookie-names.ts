/** A name as RFC 6265, section 4.1.1, has it, with its equals sign; before it only white space of HTTP. */
const NAMED = /^[ \t]*[\w!#$%&'*+.^`|~-]+=/;

/**
 * Drops cookies whose name is no token. The framework strips white space of any script from names, so that `\xA0__Host-device`, which browsers
 * take from every host of the main domain, would be read as `__Host-device`, which they take from this host alone.
 * @param header `Cookie` of a request
 */
export function keepNamedCookies(header: string): string {
  return header
    .split(';')
    .filter((pair) => NAMED.test(pair))
    .join(';');
}
