// What documents of a schema can have, and where. Everything is possible that is not certainly ruled out.
export { ruledOut } from './terms.js';
export { exampleWrites } from './write.js';
