/** Header of a call that brings a proof of work: a `Proof` in JSON, in base64. */
export const PROOF_HEADER = 'x-proof-of-work';

/**
 * A challenge of ALTCHA's proof of work, version 2. The solution is the smallest counter from 0 on whose key begins with `keyPrefix`: PBKDF2
 * (RFC 8018) of `nonce` and the counter, as 32 bits in network byte order, with `salt`, `cost` rounds and `keyLength` bytes; all in hexadecimal.
 */
export type ProofChallenge = {
  parameters: {
    algorithm: 'PBKDF2/SHA-256';
    nonce: string;
    salt: string;
    cost: number;
    keyLength: number;
    keyPrefix: string;
    keySignature: string;
    /** Seconds since 1970. */
    expiresAt: number;
    /** What the proof is good for: one call of this route, from this network. */
    data: { call: string };
  };
  /** Of the parameters, by the server. */
  signature: string;
};

export type Proof = { challenge: ProofChallenge; solution: { counter: number; derivedKey: string } };
