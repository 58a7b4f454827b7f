/**
 * preload: what opening a board needs of Node, loaded while the host itself is loading. It takes 20 ms, which are better
 * spent there than between a user and the first tool. The command does not do this: most of its runs start nothing.
 */
export function preload(): void {
  process.getBuiltinModule('node:child_process')
}
