import { completionStories } from './completion-stories.js';

completionStories('SQLite');
