// Threats: dependency-failure
import { expect, test } from 'vitest';
import { RecordsError, describeRecordsError } from './errors';

test.each([
  ['08006', true, true],
  ['25006', true, true],
  ['53300', true, true],
  ['ECONNREFUSED', true, true],
  ['CONNECTION', true, true],
  ['28P01', false, true],
  ['NOT_MIGRATED', false, true],
  ['CERT_HAS_EXPIRED', false, true],
  ['ERR_TLS_CERT_ALTNAME_INVALID', false, true],
  ['SELF_SIGNED_CERT_IN_CHAIN', false, true],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', false, true],
  ['NO_TLS', false, true],
  ['23505', false, false],
  ['42P01', false, false],
])('%s is the absence of the database: %s; it cannot be used: %s', (code, isAway, isUnavailable) => {
  const error = new RecordsError(code);
  expect([error.isAway, error.isUnavailable]).toEqual([isAway, isUnavailable]);
});

test('a certificate that has expired is named in the words of an operator', () => {
  expect(describeRecordsError(new RecordsError('CERT_HAS_EXPIRED'))).toEqual({
    reason: "the server's certificate has expired (CERT_HAS_EXPIRED)",
    action: 'Renew the certificate of the database server',
  });
});
