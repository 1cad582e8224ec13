// The part of the program that a hook needs; the build makes one file of it.
export { runHookCommand } from '../cli/run-hook-command.js';
