// The main job on PostgreSQL.
import { newDatabase } from '../../support/postgres.js';
import { completionStories } from '../completion/completion-stories.js';

completionStories('PostgreSQL', () => newDatabase());
