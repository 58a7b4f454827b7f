/**
 * command: the `plugboard` command in this process. Help and the version come from the line alone; for any other line the
 * rest is imported.
 */
import { answerLine } from './hosts/cli/answer-line.ts'
import { createNodeTerminal } from './world/node/terminal.ts'

export async function runCommand(argv: readonly string[], version: string): Promise<void> {
  const terminal = createNodeTerminal()
  const answer = answerLine(argv, { columns: terminal.columns, version })
  if (answer === undefined) {
    const { run } = await import('./run.ts')
    process.exitCode = await run({ argv, terminal, version })
  } else terminal.out(answer)
  // At once: Node would first take its heap apart, which takes two milliseconds.
  if (!terminal.isWriting()) process.exit()
}
