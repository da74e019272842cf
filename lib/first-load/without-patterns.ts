/**
 * Stands in for the framework's reader of address patterns in browsers (next.config.js): no page of this app has a
 * pattern for an address, and no rewrite reaches a browser.
 */
function never(): never {
  throw new Error('A page with a pattern for an address needs path-to-regexp in browsers: see next.config.js');
}

export { never as compile, never as pathToRegexp, never as regexpToFunction };
