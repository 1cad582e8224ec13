// How `npm run db:generate` writes migrations for PostgreSQL. The program applies them itself, at start
// (src/store/postgres/migrations.ts).
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/store/postgres/tables/tables.ts',
  out: './drizzle/postgres',
});
