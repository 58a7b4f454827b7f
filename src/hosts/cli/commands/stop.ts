/**
 * stop: stops the gateway in the background, and waits until it and its servers have ended.
 */
import { describe, stopGateway } from '../../../runtime/running-gateway.ts'
import type { CommandContext } from '../command.ts'
import { DONE } from '../exit-codes.ts'
import { printJson, printLines } from '../print.ts'

/** Throws `serve/silent`. Succeeds when no gateway runs. */
export async function run({ world, version, terminal, json }: CommandContext): Promise<number> {
  const gone = await stopGateway(world, version)
  if (json)
    printJson(terminal, { stopped: gone !== undefined, ...(gone === undefined ? {} : { gateway: gone }) })
  else
    printLines(terminal, [
      gone === undefined ? 'no gateway runs in the background' : `the gateway is gone${describe(gone)}`,
    ])
  return DONE
}
