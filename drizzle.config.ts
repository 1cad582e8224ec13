// How `npm run db:generate` writes migrations. The program applies them itself, at start (src/store/sqlite/migrations.ts).
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'sqlite',
  schema: './src/store/sqlite/tables/tables.ts',
  out: './drizzle/sqlite',
});
