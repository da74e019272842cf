// cspell:ignore pooler sfatal
// Threats: dependency-failure
import { connect, createServer, type AddressInfo } from 'node:net';
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { openRecords } from '@/lib/server/storage/records';
import { inspectDatabase } from '@/lib/server/storage/records/engines';
import { hasPostgres, startDatabases } from '../support/databases';
import { setProductionLimits } from '../support/time-limits';

/** The connection parameters that PgBouncer knows. It refuses all others, even with session pooling. */
const KNOWN = ['user', 'database', 'application_name', 'client_encoding'];

/** Passes connections on to a server, as PgBouncer does. */
async function startPooler(serverUrl: string) {
  const { hostname, port } = new URL(serverUrl);
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (packet) => {
      // After its length and the protocol version, the packet has names and values, each with a zero at its end.
      const names = packet
        .subarray(8)
        .toString('latin1')
        .split('\0')
        .filter((name, at) => name !== '' && at % 2 === 0);
      const unknown = names.find((name) => !KNOWN.includes(name));
      if (unknown !== undefined) return void socket.end(toFatal('08P01', `unsupported startup parameter: ${unknown}`));
      const onward = connect(Number(port), hostname);
      onward.on('error', () => socket.destroy());
      onward.write(packet);
      socket.pipe(onward).pipe(socket);
    });
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const url = new URL(serverUrl);
  url.host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
  return { url: url.href, stop: () => void server.close() };
}

/** Builds an `ErrorResponse` of the PostgreSQL protocol. */
function toFatal(code: string, message: string): Buffer {
  const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(fields.length + 4, 1);
  return Buffer.concat([head, fields]);
}

describe.skipIf(!hasPostgres)('behind a pooler of connections', () => {
  test('the database is migrated, inspected and used, with its time-outs', async () => {
    // The test reads these timeouts.
    setProductionLimits();
    const databases = await startDatabases('postgres');
    const server = await databases.create();
    const pooler = await startPooler(server.kind === 'postgres' ? server.url : '');
    const choice = { kind: 'postgres', url: pooler.url } as const;
    const records = await openRecords(choice);
    const read = (name: string) => sql<string>`current_setting(${name})`;
    const settings = { statement: read('statement_timeout'), idle: read('idle_in_transaction_session_timeout') };
    const found = await records.query((tx) => tx.select(settings).from(sql`(select 1) as one`));
    expect(found).toEqual([{ statement: '5s', idle: '10s' }]);
    expect(await inspectDatabase(choice)).toMatchObject({ migrations: { missing: [] } });
    await records.close();
    pooler.stop();
    await databases.stop();
  });
});
