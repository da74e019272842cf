/** @param {string} what @param {number} value @param {string} unit @param {number} limit */
export function atMost(what, value, unit, limit) {
  return { what, value, unit, budget: `≤ ${limit}`, ok: value <= limit };
}

/** @param {string} what @param {number} value @param {string} unit @param {number} limit */
export function atLeast(what, value, unit, limit) {
  return { what, value, unit, budget: `≥ ${limit}`, ok: value >= limit };
}

/** @param {string} what @param {number} bytes @param {number} limit bytes */
export function sizeAtMost(what, bytes, limit) {
  return atMost(what, Number((bytes / 1000).toFixed(1)), 'KB', limit / 1000);
}
