// `npm run soak`: a long crash test. SOAK_KILLS says how many kills (100), SOAK_SEED which chances.
import { register } from 'node:module';

register('./typescript-hooks.mjs', import.meta.url);
process.setSourceMapsEnabled(true);
const { soak } = await import('./soak.ts');
process.exitCode = await soak();
