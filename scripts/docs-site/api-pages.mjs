// Builds the API reference from docs/openapi.json, with a page for each group of calls.
import { description, toSlug } from './links.mjs';

/** @param {any} part a part of the description, or a reference to a part @returns {any} */
const resolve = (part) =>
  part?.$ref
    ? part.$ref
        .slice(2)
        .split('/')
        .reduce((/** @type {any} */ at, /** @type {string} */ name) => at[name], description)
    : part;

export function listApiPages() {
  return description.tags.map((/** @type {{ name: string, description: string }} */ tag) => ({
    params: { tag: toSlug(tag.name) },
    content: [`# API: ${tag.name.toLowerCase()}`, `${tag.description}.`, ...renderCalls(tag.name)].join('\n\n'),
  }));
}

/** @param {string} tag */
function renderCalls(tag) {
  return Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, call]) => call.tags?.includes(tag))
      .flatMap(([method, call]) => [
        `## \`${method.toUpperCase()} ${path}\``,
        `**${call.summary}**`,
        escape(call.description ?? ''),
        ...renderParameters(call.parameters ?? []),
        ...renderBody('Request', resolve(call.requestBody)),
        renderResponses(call.responses),
      ]),
  );
}

/** @param {any[]} parameters */
function renderParameters(parameters) {
  if (parameters.length === 0) return [];
  const rows = parameters
    .map(resolve)
    .map(({ name, in: place, required, description: text }) => [
      `\`${name}\``,
      place,
      required ? 'yes' : 'no',
      text ?? '',
    ]);
  return ['### Parameters', renderTable(['name', 'in', 'required', 'meaning'], rows)];
}

/** @param {string} title @param {any} body */
function renderBody(title, body) {
  return Object.entries(body?.content ?? {}).flatMap(([type, media]) => {
    const schema = resolve(media.schema);
    const example = media.example ?? Object.values(media.examples ?? {}).map(resolve)[0]?.value;
    return [
      `### ${title}, \`${type}\``,
      ...(schema?.properties ? [renderSchema(schema)] : []),
      ...(example === undefined ? [] : [`\`\`\`json\n${JSON.stringify(example, null, 2)}\n\`\`\``]),
    ];
  });
}

/** @param {any} schema */
function renderSchema({ properties, required = [] }) {
  const rows = Object.entries(properties).map(([name, part]) => {
    const { type, enum: values, const: constant, description: text, format, ...rest } = resolve(part);
    const types = rest['anyOf']?.map((/** @type {any} */ each) => resolve(each).type);
    const options = values ?? (constant === undefined ? types : [constant]);
    const kind = [type ?? '', format ?? ''].filter(Boolean).join(', ') || (options ? '' : 'any');
    const listed = options?.filter(Boolean).map((/** @type {unknown} */ each) => `\`${String(each)}\``);
    return [
      `\`${name}\``,
      [kind, listed?.join(', ')].filter(Boolean).join(': '),
      required.includes(name) ? 'yes' : 'no',
      text ?? '',
    ];
  });
  return renderTable(['field', 'type', 'required', 'meaning'], rows);
}

/** @param {Record<string, any>} responses */
function renderResponses(responses) {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description: text, content } = resolve(response);
    const codes = Object.values(content ?? {}).flatMap((media) => Object.keys(media.examples ?? {}));
    return [status, text ?? '', codes.map((code) => `\`${code}\``).join(', ')];
  });
  return `### Responses\n\n${renderTable(['status', 'meaning', 'examples'], rows)}`;
}

/** @param {string[]} head @param {string[][]} rows */
function renderTable(head, rows) {
  const lines = rows.map(
    (cells) => `| ${cells.map((cell) => escape(cell).replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`,
  );
  return [`| ${head.join(' | ')} |`, `|${head.map(() => ' --- |').join('')}`, ...lines].join('\n');
}

/** Escapes text outside of code spans. @param {string} text */
function escape(text) {
  return text
    .split(/(`[^`]*`)/)
    .map((part) => (part.startsWith('`') ? part : part.replaceAll('<', '&lt;').replaceAll('{{', '{ {')))
    .join('');
}
