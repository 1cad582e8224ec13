// A bearer token and what it allows.

export type Role = 'admin' | 'orchestrator' | 'runner' | 'reader';

export interface Token {
  readonly tokenId: string;
  readonly name: string;
  readonly role: Role;
  /** SHA-256 (hex) of the token. */
  readonly hash: string;
  readonly createdAt: number;
  readonly revokedAt: number | null;
  readonly revision: number;
}
