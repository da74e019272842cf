import { readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

// Shows why each redaction rule is needed. Without it, a given text keeps its secret or loses harmless content.

const SECRET = 'SeCrEt1';

/** A rule as written in the source, and the source without it. */
type Removal = { file: string; rule: string; without?: string };
type Redaction = { redactText: (text: string) => string };

/**
 * Loads lib/shared/redaction/redact.ts from its source, with one rule removed. @throws Error if the source has no such
 * rule
 */
async function loadWithout(removal?: Removal): Promise<Redaction> {
  const url = link('lib/shared/redaction/redact.ts', removal);
  return (await import(/* @vite-ignore */ url)) as Redaction;
}

/** Returns the address of a module with its imports. */
function link(file: string, removal: Removal | undefined): string {
  const linked = compile(file, removal).replaceAll(/from '(\.[^']+)'/g, (_all, name: string) => {
    return `from '${link(path.join(path.dirname(file), `${name}.ts`), removal)}'`;
  });
  return `data:text/javascript;base64,${Buffer.from(linked).toString('base64')}`;
}

/** Cached by source, because most cases change one module and compile the others unchanged. */
const compiled = new Map<string, string>();

function compile(file: string, removal: Removal | undefined): string {
  let source = readFileSync(file, 'utf8');
  if (removal?.file === path.basename(file)) {
    if (source.split(removal.rule).length !== 2) throw new Error(`Not once in ${file}: ${removal.rule}`);
    source = source.replace(removal.rule, () => removal.without ?? '');
  }
  const options = { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2023 };
  const code = compiled.get(source) ?? ts.transpileModule(source, { compilerOptions: options }).outputText;
  compiled.set(source, code);
  return code;
}

const inText = (rule: string, without = '') => ({ file: 'text.ts', rule, without });

/** The name of a rule, a text whose secret it removes, and the rule in the source. */
const REMOVES: [string, string, Removal][] = [
  // Names of secrets.
  ['tokens', 'idToken=SeCrEt1', inText('token|secret', 'secret')],
  ['secrets', 'client_secret=SeCrEt1', inText('token|secret', 'token')],
  ['codes', '/mobile?code=SeCrEt1', inText('secret|code|', 'secret|')],
  ['PKCE verifiers and challenges', 'code_verifier=SeCrEt1', inText('|code(?:verifier|challenge)')],
  ['passwords', 'newPassword=SeCrEt1', inText('password|passwd', 'passwd')],
  ['passwords, cut short', 'passwd=SeCrEt1', inText('passwd|passphrase', 'passphrase')],
  ['passphrases', 'passphrase=SeCrEt1', inText('|passphrase')],
  ['passwords, even shorter', 'pwd=SeCrEt1', inText('|pwd')],
  ['password hashes and repetitions', 'passwordHash=SeCrEt1', inText('(?:hash|confirm(?:ation)?)?')],
  ['one-time passwords', 'otp=SeCrEt1', inText('|otp')],
  ['credentials', 'credential=SeCrEt1', inText('|credential')],
  ['keys', 'api_key=SeCrEt1', inText('|(?:api|private|access)key')],
  ['cookies', 'sessionCookie=SeCrEt1', inText('|cookie|', '|')],
  ['authorization', 'proxyAuthorization=SeCrEt1', inText('|authorization|email', '|email')],
  ['addresses by name', 'email=SeCrEt1', inText('|email(?:address)?')],
  ['SAML', 'SAMLResponse=SeCrEt1', inText('|saml(?:request|response)')],
  ['assertions', 'assertion=SeCrEt1', inText('|assertion')],
  ['relay states', 'RelayState=SeCrEt1', inText('|relaystate')],
  ['session cookies', '_secure-user-session=SeCrEt1', inText('|usersession')],
  ['JWTs by name', 'jwt=SeCrEt1', inText('|jwt')],
  ['several of a kind', 'codes[0]=SeCrEt1', inText('s?\\d*$/', '$/')],
  ['OAuth states', '/x?state=SeCrEt1', inText("'state', ")],
  ['PINs', 'pin=SeCrEt1', inText("'pin', ")],
  ['short passwords', 'pass=SeCrEt1', inText(", 'pass'")],
  ['headers in traces', '{"http.request.header.cookie.who":"SeCrEt1"}', inText(' || HEADER_PART.test(name)')],
  ['headers to the end of the line', 'cookie: a=b; c=SeCrEt1', inText('return LONG_HEADER.test(name)', 'return false')],
  ['names in any spelling', 'ID-TOKEN=SeCrEt1', inText('    .toLowerCase()')],
  // Structures.
  ['parameters, members and headers', 'token=SeCrEt1', inText('return this.redactMember(at)', 'return at')],
  ['fragments', '/a/b#SeCrEt1', inText('return this.redactFragment(at)', 'return at')],
  ['user names and passwords of URLs', 'redis://me:SeCrEt1@localhost:6379', inText('return this.redactUserInfo(at)', 'return at')],
  ['values in quotes, spaces and all', '{"token":"a b SeCrEt1"}', inText('return this.redactQuoted(begin)', 'return begin')],
  ['lists and objects', 'codes=["a b", "SeCrEt1"]', inText('isNested ? this.findEndOfBrackets(begin) : begin, depth', 'begin, depth')],
  ['what begins in what was removed', 'code:cookie: a SeCrEt1', inText('this.backToMark(this.redactAt(found.index))', 'this.redactAt(found.index)')],
  ['names behind a backslash', '\\token=SeCrEt1', inText('isSecretName(this.getEscapedLetter(begin) + text)', 'isSecretName(text)')],
  ['values over several lines of JSON', '{"token":\n"a SeCrEt1"}', inText("(name.quote ? /[\\s+]/ : /[ \\t+]/)", '/[ \\t+]/')],
  // Forms.
  ['email addresses', 'could not mail SeCrEt1@campus.test', inText('findEmail(text, at, earliest);', 'null;')],
  ['signed and encrypted tokens', 'got eyJhbGciOiJub25l.e30.SeCrEt1', inText('return findToken(text, at)', 'return null')],
  ['credentials after their scheme', 'sent Bearer SeCrEt1', inText('findCredentials(text, at)', 'null')],
  // Encodings.
  ['percent-encoding', 'token%3DSeCrEt1', inText("source[start] === '%'", 'false')],
  ['percent-encoding of percent-encoding', '%2526token%253DSeCrEt1', inText('%(?:25)*', '%')],
  ['escapes of JavaScript', 'token\\u003dSeCrEt1', inText('matchAt(UNICODE, source, next)', "['']")],
  ['quotes of nested JSON', '{"x":"{\\"token\\":\\"a\\\\\\" SeCrEt1\\"}"}', inText('escaped.depth + level', 'escaped.depth')],
  ['mixed escapes of quotes', '{"x":"{\\u0022token\\u0022:\\u0022a\\\\\\u0022 SeCrEt1\\u0022}"}', inText('doubled + inner', 'doubled + 1')],
  // Quoted by an error.
  ['what a parser of JSON quotes', "Unexpected token 'S', \"SeCrEt1abc\"... is not valid JSON", { file: 'redact.ts', rule: '.replaceAll(QUOTED_JSON, `${REMOVED} is not valid JSON`)' }],
]; // oxfmt-ignore

/** The name of a rule, a text that it keeps unchanged, and the rule in the source. */
const KEEPS: [string, string, Removal][] = [
  ['codes that operators need', '{"statusCode":404}', inText('if (HARMLESS_CODE.test(plain)) return false;')],
  [
    'names of system errors',
    "{ code: 'EADDRINUSE', syscall: 'listen' }",
    inText('isSystemErrorCode(name.text, this.text, begin)', 'false'),
  ],
  ['the same in words', 'status code: 404', inText('this.getWordBefore(begin) + text', 'text')],
  ['absent values', 'token=null', inText('getMatchLength(NO_SECRET, this.text, begin) > 0', 'false')],
  [
    'colors of style sheets',
    'a{background:url(/x.svg);color:#fff}',
    inText("if (this.text[begin - 1] !== '/') return at;"),
  ],
  ['what only begins as a token', 'eyJustAWordOfSomeLength', inText("rest !== '' && ")],
  ['what has no host', 'a@b', inText('if (!hasDot && !/[^\\0-\\x7f]/.test(host)) return null;')],
  ['the end of a text that ends in a name', '"/x?token=" and more', inText('&& this.isOpening(begin, separator)')],
];

describe('every rule is needed', () => {
  it.each(REMOVES)('for %s: %s', async (_what, text, removal) => {
    const [whole, without] = await Promise.all([loadWithout(), loadWithout(removal)]);
    expect(whole.redactText(text)).not.toContain(SECRET);
    expect(without.redactText(text)).toContain(SECRET);
  });

  it.each(KEEPS)('to keep %s: %s', async (_what, text, removal) => {
    const [whole, without] = await Promise.all([loadWithout(), loadWithout(removal)]);
    expect(whole.redactText(text)).toBe(text);
    expect(without.redactText(text)).not.toBe(text);
  });

  it('and every suffix and word of a secret name has a case here', () => {
    const source = readFileSync('lib/shared/redaction/text.ts', 'utf8');
    const [, endings = ''] = /SECRET_ENDING =\s+\/\((.*)\)s\?/.exec(source) ?? [];
    const [, words = ''] = /SECRET_WORDS = new Set\(\[(.*)\]\)/.exec(source) ?? [];
    const listed = REMOVES.filter(([, , { file }]) => file === 'text.ts')
      .map(([, , { rule }]) => rule)
      .join('\n');
    const parts = [...endings.matchAll(/[a-z]{3,}/g), ...words.matchAll(/\w+/g)].map(([part]) => part);
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.filter((part) => !listed.includes(part))).toEqual([]);
  });
});
