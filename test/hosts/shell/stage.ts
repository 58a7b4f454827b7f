/**
 * stage: a machine with servers, a scripted model, and the shell on a screen.
 */
import type { ModelProvider } from '../../../src/model/settings.ts'
import { openMachine, type Files, type Machine } from '../../processes/plugboard.ts'
import { openScreen, type Screen, type ScreenOptions } from '../../processes/screen.ts'
import { openStreamingModel, type Script, type StreamingModel } from '../../servers/http/streaming-model.ts'

export interface Stage extends AsyncDisposable {
  readonly machine: Machine
  readonly model: StreamingModel
  /** The first of them is the one that is open when the test begins. */
  readonly screen: Screen
  /** Once more, in the same home. */
  again(options?: ScreenOptions): Screen
}

export interface StageOptions extends ScreenOptions {
  readonly provider?: ModelProvider
  readonly servers?: Readonly<Record<string, object>>
  readonly files?: Files
  readonly script?: readonly Script[]
}

export const SERVERS = '~/.config/plugboard/mcp.json'

export async function openStage(options: StageOptions = {}): Promise<Stage> {
  const { provider = 'openai', servers = {}, files = {}, script = [], ...screenOptions } = options
  const model = await openStreamingModel(...script)
  const machine = openMachine({
    [SERVERS]: { mcpServers: servers },
    '~/.config/plugboard/settings.json': {
      model: { provider, id: 'scripted', baseUrl: `${model.origin}/v1` },
    },
    ...files,
  })
  const screens: Screen[] = []
  const again = (more: ScreenOptions = {}): Screen => {
    const screen = openScreen(machine, { ...screenOptions, ...more })
    screens.push(screen)
    return screen
  }
  return {
    machine,
    model,
    screen: again(),
    again,
    async [Symbol.asyncDispose]() {
      for (const screen of screens) await screen[Symbol.asyncDispose]()
      await model[Symbol.asyncDispose]()
      machine[Symbol.dispose]()
    },
  }
}

/** Ends it as its users do. */
export async function leave(screen: Screen): Promise<number> {
  await screen.do('\u0003', 'again to quit')
  screen.type('\u0003')
  return screen.exit
}

export function call(name: string, input: object = {}): Script {
  return { kind: 'calls', calls: [{ name, input }] }
}
