/** @type {Record<string, string>} */
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

/** @param {unknown} text @returns {string} text with HTML special characters escaped */
export function escape(text) {
  return String(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');
}

/**
 * @param {{ title: string, body: string, actions?: string }} page `body` and `actions` are already HTML
 * @returns {string}
 */
export function layout({ title, body, actions = '' }) {
  return `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>${escape(title)} · Campus Courses</title>
  <link rel="stylesheet" href="/styles.css">
  <link rel="icon" href="/mark.svg" type="image/svg+xml">
</head>
<body>
  <header><div><a class="mark" href="/"><img src="/mark.svg" alt="" width="28" height="28">Campus Courses</a>${actions}</div></header>
  <main>
    <h1>${escape(title)}</h1>
    ${body}
  </main>
</body>
</html>`;
}
